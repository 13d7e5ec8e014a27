/**
 * A transfer of the ledger: from vault to vault, an amount in quanta, with a nonce and an expiry hour. One Pedersen
 * hash over all of it is signed, which is also its id here.
 */
import type { TxHash } from '@causeway/core'
import { pedersen } from '@scure/starknet'
import { concat, keccak256, numberToHex, stringToHex } from 'viem'

export interface TransferMessage {
  senderVault: bigint
  receiverVault: bigint
  receiverKey: bigint
  asset: bigint
  quanta: bigint
  nonce: number
  /** The expiry, in hours since 1970. */
  expiryHour: number
}

/** The message type: a transfer without a condition and without a fee. */
const KIND = 1n
const BITS = { vault: 31n, quanta: 63n, nonce: 31n, hour: 22n }
export const MOST_NONCE = 2 ** 31 - 1
const FIELD = 2n ** 251n + 17n * 2n ** 192n + 1n
/** Order of the curve's group. */
const ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn

export function messageHash(message: TransferMessage): bigint {
  const { senderVault, receiverVault, receiverKey, asset, quanta, nonce, expiryHour } = message
  for (const felt of [receiverKey, asset])
    if (felt < 0n || felt >= FIELD) throw new RangeError(`${felt} is no field element`)
  const packed = [
    [senderVault, BITS.vault],
    [receiverVault, BITS.vault],
    [quanta, BITS.quanta],
    [0n, BITS.quanta],
    [BigInt(nonce), BITS.nonce],
    [BigInt(expiryHour), BITS.hour],
  ].reduce((all, [value = 0n, bits = 0n]) => {
    if (value < 0n || value >= 1n << bits) throw new RangeError(`${value} does not fit ${bits} bits`)
    return (all << bits) | value
  }, KIND)
  return BigInt(pedersen(BigInt(pedersen(asset, receiverKey)), packed))
}

export function nameOf(hash: bigint): TxHash {
  return `0x${hash.toString(16)}`
}

/** The text for the Ethereum signature: derived from the hash here, never taken from the operator. */
export function requestText(hash: bigint): string {
  return `Only sign this request if you’ve initiated an action with Immutable X.\n\nFor internal use:\n${hash.toString(16)}`
}

export const LINK_TEXT = 'Only sign this key linking request from Immutable X'

/** The hash that a Stark key signs to be linked to an address, as the contract on Ethereum checks it. */
export function linkHash(address: string, starkKey: bigint): bigint {
  const words = concat([
    stringToHex('UserRegistration:'),
    address as `0x${string}`,
    numberToHex(starkKey, { size: 32 }),
  ])
  return BigInt(keccak256(words)) % ORDER
}
