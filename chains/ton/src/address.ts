/**
 * Addresses of this family. Every usual form is read (raw, friendly, bounceable or not, both base64 alphabets); the one
 * canonical form is the friendly, bounceable, URL-safe one without the testnet flag (`EQ…`), as explorers and token
 * lists write it.
 */
import type { Address, TokenNaming } from '@causeway/core'
import { Address as TonAddress } from '@ton/core'

/** Basechain, which has the ordinary wallets, and masterchain. There is no other. */
const WORKCHAINS = [0, -1]
const RAW = /^(0|-1):[0-9a-fA-F]{64}$/
const FRIENDLY = /^(?:[A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48})$/

export const NATIVE_ADDRESS: Address = canonical(new TonAddress(0, Buffer.alloc(32)))

/** If `testnet` is false, friendly addresses with the testnet flag are refused. */
export function namingFor({ testnet }: { testnet: boolean }): TokenNaming {
  return { nativeAddress: NATIVE_ADDRESS, parseAddress: (text) => parseAddress(text, testnet) }
}

function parseAddress(text: string, testnet: boolean): Address | null {
  if (RAW.test(text)) return canonical(TonAddress.parseRaw(text))
  if (!FRIENDLY.test(text)) return null
  try {
    const { address, isTestOnly } = TonAddress.parseFriendly(text)
    if (isTestOnly && !testnet) return null
    return WORKCHAINS.includes(address.workChain) ? canonical(address) : null
  } catch {
    return null
  }
}

export function canonical(address: TonAddress): Address {
  return address.toString({ bounceable: true, testOnly: false, urlSafe: true })
}

/** Parses an address that is already canonical. */
export function tonAddress(address: Address): TonAddress {
  return TonAddress.parse(address)
}

/** The non-bounceable form, with which wallets send even if there is no contract yet. */
export function unbouncing(address: Address): string {
  return tonAddress(address).toString({ bounceable: false, testOnly: false, urlSafe: true })
}

/**
 * Whether a payment there would be lost: the address has no owner, or is on the masterchain, which has system contracts
 * and almost no wallets.
 */
export function isLosing(address: Address): boolean {
  return address === NATIVE_ADDRESS || tonAddress(address).workChain !== 0
}
