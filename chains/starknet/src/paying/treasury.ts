/**
 * The hot wallet: an account contract whose address follows from its class and its public key, the same on every
 * network.
 */
import { type Address, Bug, type Signer } from '@causeway/core'
import { verify } from '@scure/starknet'
import { bytes32, numberOf, padded } from '../felt.ts'
import { contractAddress, type Deployment } from '../hashing.ts'
import type { Kind, Profile } from '../kind.ts'

export interface Account extends Deployment {
  address: Address
  /** The x coordinate of the public key: either point of the curve with it is valid, as on chain. */
  publicKey: bigint
}

export async function accountOf({ treasuryKey }: Kind, profile: Profile, signer: Signer): Promise<Account> {
  const publicKey = numberOf(await signer.publicKey(treasuryKey))
  const deployment = {
    classHash: profile.settings.accountClass,
    salt: publicKey,
    constructorCalldata: profile.constructorCalldata(publicKey),
  }
  return { ...deployment, publicKey, address: padded(contractAddress(deployment)) }
}

/**
 * Signed hashes must be below this bound. One in 2^55 is not: it is never truncated, since that would be another hash.
 */
const HASH_BOUND = 1n << 251n

export function isSignable(hash: bigint): boolean {
  return hash < HASH_BOUND
}

export function isSignedBy({ publicKey }: Account, hash: bigint, signature: readonly bigint[]): boolean {
  const [r, s, ...more] = signature
  if (r === undefined || s === undefined || more.length > 0 || !isSignable(hash)) return false
  const key = bytes32(publicKey)
  const both = Uint8Array.from([...bytes32(r), ...bytes32(s)])
  try {
    return [2, 3].some((side) => verify(both, bytes32(hash), Uint8Array.from([side, ...key]), { format: 'compact' }))
  } catch {
    return false
  }
}

export function splitSignature(bytes: Uint8Array): [r: bigint, s: bigint] {
  if (bytes.length !== 64) throw new Bug('not a signature of 64 bytes', { length: bytes.length })
  return [numberOf(bytes.subarray(0, 32)), numberOf(bytes.subarray(32))]
}
