/** The port of price sources: dollars of one whole token, by token group. */
import type { Usd } from '@causeway/core'

export interface PriceSource {
  name: string
  /** Reads prices; groups without a recent price are omitted. */
  read(groups: readonly string[]): Promise<Map<string, Usd>>
  /** When the last price was fetched; omit if that is always the moment of reading. */
  fetchedAt?(group: string): Date | null
  /** Whether its sources contradicted each other at the last reading: its earlier price is then invalid. */
  isDisputed?(group: string): boolean
  /** How many of its sources had a price at the last reading. */
  answered?(group: string): number | null
}
