/** A history that is being read: after days of silence it is long, and a node that fails on the way costs what is left of it only. */
import type { Address, Movement } from '@causeway/core'

export interface Walked {
  account: Address
  from: bigint
  next: bigint
  /** The hash of the last block that was read: the next one must name it, whichever node shows it. */
  parent: string | null
  found: Movement[]
}
