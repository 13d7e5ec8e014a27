/**
 * Addresses of this family: 40 hex digits, canonical in the mixed case of EIP-55. Mixed case that does not check out is
 * a typing mistake and no address.
 */
import { evmAddresses } from '@causeway/chain-kit'
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, zeroAddress } from 'viem'

export const { parseAddress, canonical } = evmAddresses(getAddress)
export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

/** An address out of the 32 bytes that an event's topic has for it. */
export function fromTopic(topic: string): Address {
  return canonical(`0x${topic.slice(-40)}`)
}

/** Precompiled contracts keep what they are sent: 0x01 to 0x11 by Prague, and 0x0100. */
const LAST_PRECOMPILE = 0x11n
const PRECOMPILES_BEYOND = [0x100n]
const BURN_ADDRESSES = ['0x000000000000000000000000000000000000dEaD']

/** There is no key for it: money sent there is lost. */
export function isBurnAddress(address: Address): boolean {
  const number = BigInt(address)
  return number <= LAST_PRECOMPILE || PRECOMPILES_BEYOND.includes(number) || BURN_ADDRESSES.includes(address)
}
