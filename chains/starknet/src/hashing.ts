/** The chain's hashes over lists of numbers, the selector of a function name, and the address of a contract. */
import { keccak, pedersen, poseidonHashMany } from '@scure/starknet'
import { shortString } from './felt.ts'

export function selector(name: string): bigint {
  return keccak(new TextEncoder().encode(name))
}

export function poseidon(values: readonly bigint[]): bigint {
  return poseidonHashMany([...values])
}

/** The Pedersen hash of a list: a chain of pairs that starts at zero and ends with the number of values. */
export function pedersenList(values: readonly bigint[]): bigint {
  return pedersenChain(0n, [...values, BigInt(values.length)])
}

/** Continues a hash chain from a state: the common start of many lists is hashed once. */
export function pedersenChain(start: bigint, values: readonly bigint[]): bigint {
  return values.reduce((hash, value) => BigInt(pedersen(hash, value)), start)
}

const ADDRESS_BOUND = 2n ** 251n - 256n

export interface Deployment {
  classHash: bigint
  salt: bigint
  constructorCalldata: readonly bigint[]
}

/**
 * The address of a contract that does not depend on its deployer: an account's own deployment, or a deployer that
 * leaves itself out.
 */
export function contractAddress({ classHash, salt, constructorCalldata }: Deployment): bigint {
  const parts = [shortString('STARKNET_CONTRACT_ADDRESS'), 0n, salt, classHash, pedersenList(constructorCalldata)]
  return pedersenList(parts) % ADDRESS_BOUND
}
