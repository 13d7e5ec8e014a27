/** The port of price sources: dollars of one whole token, by token family. */
import type { Usd } from '@causeway/core'

export interface PriceSource {
  name: string
  /** Families it does not know, or knows only too old a price of, are left out of the answer. */
  read(groups: readonly string[]): Promise<Map<string, Usd>>
  /** When the price that was read last was fetched; absent where that is always the moment of reading. */
  fetchedAt?(group: string): Date | null
  /** Whether its own sources contradicted each other when it was read last: what it said before is no price any more. */
  isDisputed?(group: string): boolean
  /** How many of its own sources had a price when it was read last. */
  answered?(group: string): number | null
}
