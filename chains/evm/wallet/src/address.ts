/** Parses a pasted EVM address: plain, with a chain's short name as prefix, or as a payment link. */
import type { AddressVerdict, WalletNetwork } from '@causeway/core/wallet'
import { keccak256 } from './keccak.ts'

export function readAddress(text: string, network: WalletNetwork): AddressVerdict {
  const trimmed = text.trim()
  const link = /^ethereum:(?:pay-)?(0x[0-9a-f]{40})(?:@(\d+))?(?:\?(.*))?$/i.exec(trimmed)
  if (link?.[2] && network.chain_id !== null && link[2] !== network.chain_id) return { state: 'other_network' }
  const plain = link?.[1] ?? /^(?:[a-z0-9-]{1,12}:)?(0x[0-9a-f]{40})$/i.exec(trimmed)?.[1]
  if (plain === undefined) return { state: 'not_one' }
  const address = checksummed(plain)
  const body = plain.slice(2)
  const isOneCase = body === body.toLowerCase() || body === body.toUpperCase()
  if (!isOneCase && plain.slice(2) !== address.slice(2)) return { state: 'checksum' }
  return { state: 'ok', address, amount: amountIn(link?.[3], network), fromLink: link !== null }
}

/** EIP-55: the case of each letter is a bit of the address's own hash. */
export function checksummed(address: string): string {
  const body = address.slice(2).toLowerCase()
  const hash = keccak256(new TextEncoder().encode(body))
  const letters = [...body].map((letter, at) => {
    const nibble = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15
    return nibble >= 8 ? letter.toUpperCase() : letter
  })
  return `0x${letters.join('')}`
}

function amountIn(query: string | undefined, { token }: WalletNetwork): string | null {
  const value = baseUnits(new URLSearchParams(query ?? '').get('value') ?? '')
  if (value === null) return null
  const digits = value.padStart(token.decimals + 1, '0')
  const fraction = digits.slice(-token.decimals).replace(/0+$/, '')
  return digits.slice(0, -token.decimals) + (fraction && `.${fraction}`)
}

/** EIP-681 allows `1e16` and `2.5e15`. Null if it is not a whole number of base units. */
function baseUnits(text: string): string | null {
  const [, whole, fraction = '', exponent = '0'] = /^\+?(\d{1,40})(?:\.(\d{1,40}))?(?:e(\d{1,2}))?$/i.exec(text) ?? []
  if (whole === undefined || fraction.length > Number(exponent)) return null
  return whole + fraction.padEnd(Number(exponent), '0')
}
