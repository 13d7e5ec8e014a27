/** The port of price sources: dollars of one whole token, by token family. */
import type { Usd } from '@causeway/core'

export interface PriceSource {
  name: string
  /** Families it does not know are left out of the answer. */
  read(groups: readonly string[]): Promise<Map<string, Usd>>
}
