/**
 * Addresses of this family: those of the EVM, canonical in the mixed case of EIP-55. The network itself writes and signs
 * them in lower case.
 */
import { evmAddresses } from '@causeway/chain-kit'
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, zeroAddress } from 'viem'

export const { parseAddress, canonical } = evmAddresses(getAddress)
export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

/** The form in signed actions and in requests to a gateway. */
export function wireAddress(address: Address): string {
  return address.toLowerCase()
}

/** HYPE's system address; every other token's is 0x20 and its index in the last bytes. */
const HYPE_SYSTEM = '0x2222222222222222222222222222222222222222'
const TOKEN_SYSTEM = /^0x20{23}[0-9a-f]{16}$/

/** Whether it is a system address: money from there came out of HyperEVM, money sent there goes into it. */
export function isSystemAddress(address: Address): boolean {
  const wire = wireAddress(address)
  return wire === HYPE_SYSTEM || TOKEN_SYSTEM.test(wire)
}

/** The bridges of both networks, on Arbitrum: accounts without a key. */
const BRIDGES = ['0x2df1c51e09aecf9cacb7bc98cb1742757f163df7', '0x08cfc1b6b2dcf36a1480b99353a354aa8ac56f89']
const BURN_ADDRESSES = ['0x000000000000000000000000000000000000dead', '0xffffffffffffffffffffffffffffffffffffffff']
/** Precompiled contracts of the EVM, the zero address among them. */
const LAST_RESERVED = 0xffffn

/** Whether no key exists for the address here: money sent there is lost, or on another chain. */
export function isLosing(address: Address): boolean {
  const wire = wireAddress(address)
  if (isSystemAddress(address) || BRIDGES.includes(wire) || BURN_ADDRESSES.includes(wire)) return true
  return BigInt(address) <= LAST_RESERVED
}
