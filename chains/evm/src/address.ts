/**
 * Addresses of this family: 40 hex digits, canonical in the mixed case of EIP-55. Wrong mixed case is a typing mistake
 * and is rejected.
 */
import { evmAddresses } from '@causeway/chain-kit'
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, zeroAddress } from 'viem'

export const { parseAddress, canonical } = evmAddresses(getAddress)
export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

/** An address from the 32 bytes of an event topic. */
export function fromTopic(topic: string): Address {
  return canonical(`0x${topic.slice(-40)}`)
}

/** Precompiled contracts keep coins sent to them: 0x01 to 0x11 as of Prague, and 0x0100. */
const LAST_PRECOMPILE = 0x11n
const PRECOMPILES_BEYOND = [0x100n]
const BURN_ADDRESSES = ['0x000000000000000000000000000000000000dEaD']

/** Whether no key exists for the address: money sent there is lost. */
export function isBurnAddress(address: Address): boolean {
  const number = BigInt(address)
  return number <= LAST_PRECOMPILE || PRECOMPILES_BEYOND.includes(number) || BURN_ADDRESSES.includes(address)
}
