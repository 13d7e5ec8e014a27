/** A credit to one of our addresses, and the key under which it is stored. */
import type { Address, TxHash } from '@causeway/core'
import { keccak256, stringToHex } from 'viem'
import { wireAddress } from '../address.ts'
import { NO_HASH } from '../node/calls.ts'
import type { Arrival } from './credits.ts'
import type { Row } from './ledger-row.ts'

export interface Received extends Arrival {
  to: Address
}

/** Indexes per account within a transaction. */
const PLACES = 1_024
const RECEIVERS = 2n ** 20n

/** The explorer's hash, or a hash of our own if the row has none. */
export function hashFor(row: Row, to: Address): TxHash {
  if (row.hash !== NO_HASH) return row.hash
  const { time, position, type, transfer, delta } = row
  // Uses only fields that another gateway, or a later version, would write the same.
  const amount = transfer?.amount ?? delta.usdc ?? delta.amount
  const content = [wireAddress(to), time, position, type, transfer?.user ?? null, String(amount)]
  return keccak256(stringToHex(JSON.stringify(content)))
}

/** The deposit's index. Two of our addresses that one transaction pays never share an index. */
export function indexOf({ position }: Row, to: Address): number {
  const receiver = BigInt(keccak256(wireAddress(to) as `0x${string}`)) % RECEIVERS
  return Number(receiver) * PLACES + (position % PLACES)
}

/** The key by which a cursor records that it was reported. */
export function placeKey({ row, to }: Received): string {
  return `${row.time}/${hashFor(row, to).slice(2, 18)}/${indexOf(row, to)}`
}
