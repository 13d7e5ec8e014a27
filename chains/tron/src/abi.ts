/** Contract calls in Solidity's ABI; addresses in them lack Tron's own first byte. */
import type { Address } from '@causeway/core'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { hex20 } from './address.ts'
import { bytesToHex } from './bytes.ts'

/** A contract call; all fields are hex without a prefix, as the nodes of this family write it. */
export interface ContractCall {
  /** The signature as in Solidity: a node hashes it itself when it simulates a call. */
  signature: string
  parameter: string
}

export const TRANSFER_TOPIC = hashOf('Transfer(address,address,uint256)')
export const TRANSFER_SELECTOR = hashOf('transfer(address,uint256)').slice(0, 8)

export function hashOf(text: string): string {
  return bytesToHex(keccak_256(utf8ToBytes(text)))
}

export function wordOf(value: bigint | Address): string {
  return typeof value === 'bigint' ? value.toString(16).padStart(64, '0') : hex20(value).padStart(64, '0')
}

/** Encodes a list, prefixed with its length. */
export function listOf(words: readonly string[]): string {
  return wordOf(BigInt(words.length)) + words.join('')
}

export function callTo(signature: string, ...words: string[]): ContractCall {
  return { signature, parameter: words.join('') }
}

export function dataOf({ signature, parameter }: ContractCall): string {
  return hashOf(signature).slice(0, 8) + parameter
}

export function transferCall(to: Address, units: bigint): ContractCall {
  return callTo('transfer(address,uint256)', wordOf(to), wordOf(units))
}

/** The number in an answer's first word; null if there is none. */
export function firstWord(answer: string): bigint | null {
  return /^[0-9a-f]{64,}$/.test(answer) ? BigInt(`0x${answer.slice(0, 64)}`) : null
}
