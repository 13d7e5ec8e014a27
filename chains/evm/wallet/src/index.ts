/** EVM browser wallets: those that announce themselves (EIP-6963); `window.ethereum` only if none does. */
import type { Wallet, WalletAction, WalletFamily } from '@causeway/core/wallet'
import { readAddress } from './address.ts'
import { type Provider, walletOf } from './provider.ts'

interface Announcement {
  info: { uuid: string; name: string; icon: string; rdns: string }
  provider: Provider
}

/** Wallets announce themselves within a few milliseconds of the request. */
const ANNOUNCED_WITHIN_MS = 300
const MOST_WALLETS = 20

export const family: WalletFamily = {
  discover(found) {
    const wallets = new Map<string, Wallet>()
    const hear = (event: Event) => {
      const { detail } = event as CustomEvent<Announcement>
      const id = detail?.info?.rdns || detail?.info?.uuid
      if (!id || !detail.provider || wallets.has(id) || wallets.size >= MOST_WALLETS) return
      const icon = /^data:image\//.test(detail.info.icon) ? detail.info.icon : null
      wallets.set(id, walletOf(id, String(detail.info.name).slice(0, 40), icon, detail.provider))
      found([...wallets.values()])
    }
    addEventListener('eip6963:announceProvider', hear)
    dispatchEvent(new Event('eip6963:requestProvider'))
    const timer = setTimeout(() => {
      const lone = (globalThis as { ethereum?: Provider }).ethereum
      if (wallets.size === 0 && lone) found([walletOf('injected', 'Browser wallet', null, lone)])
    }, ANNOUNCED_WITHIN_MS)
    return () => {
      clearTimeout(timer)
      removeEventListener('eip6963:announceProvider', hear)
    }
  },
  readAddress,
  paymentLink,
}

/** EIP-681. A token transfer is a call of its contract. */
function paymentLink({ to_address: to, amount_in_base_units: units, token, network }: WalletAction): string {
  const chain = network.chain_id === null ? '' : `@${network.chain_id}`
  if (token.contract === null) return `ethereum:${to}${chain}${units === '0' ? '' : `?value=${units}`}`
  return `ethereum:${token.contract}${chain}/transfer?address=${to}${units === '0' ? '' : `&uint256=${units}`}`
}
