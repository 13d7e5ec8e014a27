/**
 * The progress of reading a history: after days offline it is long, and if a node fails on the way, only the rest is
 * repeated.
 */
import type { Address, Movement } from '@causeway/core'

export interface Walked {
  account: Address
  from: bigint
  next: bigint
  /** The hash of the last block that was read: the next one must name it as its parent, whichever node shows it. */
  parent: string | null
  found: Movement[]
}
