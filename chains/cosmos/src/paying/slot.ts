/**
 * A slot is one sequence of the treasury, written `address/number`, and for a sweep one more for every swept address.
 * The chain accepts each sequence of an account once, in order and without gaps.
 */
import { type Address, Bug, type Slot } from '@causeway/core'

export interface Part {
  address: Address
  sequence: bigint
}

export function partsOf(slot: Slot): Part[] {
  const parts = slot.map(partOf)
  if (parts.length === 0 || new Set(parts.map(({ address }) => address)).size !== parts.length)
    throw new Bug('not a slot of this family', { slot })
  return parts
}

/** The treasury's own sequence, which is the slot's first part. */
export function numberOf(slot: Slot): bigint {
  const [own] = partsOf(slot)
  if (!own) throw new Bug('not a slot of this family', { slot })
  return own.sequence
}

export function formatPart({ address, sequence }: Part): string {
  return `${address}/${sequence}`
}

/** Parses a part; each number has one spelling. */
function partOf(text: string): Part {
  const [, address, sequence] = /^([a-z0-9]+)\/(0|[1-9]\d{0,18})$/.exec(text) ?? []
  if (address === undefined || sequence === undefined) throw new Bug('not a slot of this family', { part: text })
  return { address, sequence: BigInt(sequence) }
}
