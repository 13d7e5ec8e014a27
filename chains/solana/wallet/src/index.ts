/** Solana browser wallets, found by the Wallet Standard. */
import type { AddressVerdict, WalletAction, WalletFamily } from '@causeway/core/wallet'
import { getWallets } from '@wallet-standard/app'
import { fromBase58 } from './base58.ts'
import { canSend, walletOf } from './standard.ts'

const KEY_BYTES = 32

export const family: WalletFamily = {
  discover(found) {
    const { get, on } = getWallets()
    const tell = () => found(get().filter(canSend).map(walletOf))
    tell()
    const stops = [on('register', tell), on('unregister', tell)]
    return () => {
      for (const stop of stops) stop()
    }
  },
  readAddress,
  paymentLink,
}

function readAddress(text: string): AddressVerdict {
  const trimmed = text.trim()
  const link = /^solana:([^?]+)(?:\?(.*))?$/i.exec(trimmed)
  const address = link?.[1] ?? trimmed
  if (address.length < 32 || address.length > 44 || fromBase58(address)?.length !== KEY_BYTES)
    return { state: 'not_one' }
  const asked = new URLSearchParams(link?.[2] ?? '')
  const [amount, contract] = [asked.get('amount'), asked.get('spl-token')]
  return {
    state: 'ok',
    address,
    amount: amount && /^\d+(\.\d+)?$/.test(amount) ? amount : null,
    ...(contract ? { contract } : {}),
    fromLink: link !== null,
  }
}

/** A payment link in the Solana Pay format. */
function paymentLink({ to_address: to, amount_in_base_units: units, token }: WalletAction): string {
  const query = new URLSearchParams()
  if (units !== '0') query.set('amount', whole(units, token.decimals))
  if (token.contract !== null) query.set('spl-token', token.contract)
  const text = query.toString()
  return `solana:${to}${text && `?${text}`}`
}

function whole(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return digits.slice(0, digits.length - decimals) + (fraction && `.${fraction}`)
}
