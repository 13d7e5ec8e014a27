/**
 * Nonce accounts: the slots of this family. Each holds a value that a transaction may name instead of a recent
 * blockhash. The transaction that does so changes the value, so only one of all that name it can ever be mined.
 */
import { type Address, Bug, type Slot } from '@causeway/core'
import { address, createAddressWithSeed, isAddress } from '@solana/kit'
import { getNonceDecoder, getNonceSize, NonceState, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { AccountData } from '../node/calls.ts'

export interface NonceUse {
  account: Address
  value: string
  /** The slot at which the value was read: a view of an older slot proves nothing about it. */
  seenAt: bigint
}

export function nonceSeed(number: number): string {
  return `causeway-nonce-${number}`
}

export function nonceAddresses(base: Address, count: number): Promise<Address[]> {
  const seeds = Array.from({ length: count }, (_, number) => nonceSeed(number))
  const from = { baseAddress: address(base), programAddress: SYSTEM_PROGRAM_ADDRESS }
  return Promise.all(seeds.map((seed) => createAddressWithSeed({ ...from, seed })))
}

/** The value of a nonce account that this authority can use; null if it has none. */
export function nonceValue(account: AccountData | null, authority: Address): string | null {
  if (account?.owner !== SYSTEM_PROGRAM_ADDRESS || account.data.length !== getNonceSize()) return null
  const nonce = getNonceDecoder().decode(account.data)
  return nonce.state === NonceState.Initialized && nonce.authority === authority ? nonce.blockhash : null
}

/**
 * The slot of a nonce value. Its first part is the consumed value, its second the slot since which it was known; an
 * account has one value per slot.
 */
export function slotOf({ account, value, seenAt }: NonceUse): Slot {
  return [`${account}:${value}`, `${account}@${seenAt}`]
}

/** Parses a slot. Each slot has one spelling; any other is rejected. */
export function nonceOf(slot: Slot): NonceUse {
  const [use = '', since = ''] = slot
  const [account = '', value = ''] = use.split(':')
  const [, seenAt = ''] = since.split('@')
  const isSlot = isAddress(account) && isAddress(value) && /^\d{1,20}$/.test(seenAt)
  const found = { account, value, seenAt: BigInt(isSlot ? seenAt : 0) }
  const written = slotOf(found)
  if (!isSlot || slot.length !== written.length || written.some((part, position) => slot[position] !== part)) {
    throw new Bug('not a slot of this family', { slot })
  }
  return found
}
