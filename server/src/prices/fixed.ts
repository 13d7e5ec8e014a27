/** Prices from a file, for the sandbox and for tests. The file is read every time, so that it can be edited. */
import { readFile } from 'node:fs/promises'
import { parseDecimal, type Usd } from '@causeway/core'
import { z } from 'zod'
import type { PriceSource } from './source.ts'

const Prices = z.record(z.string(), z.string().regex(/^\d+(\.\d{1,18})?$/))

export function fixedPrices(file: string): PriceSource {
  return {
    name: 'fixed',
    async read(groups) {
      const listed = Prices.parse(JSON.parse(await readFile(file, 'utf8')))
      const found = new Map<string, Usd>()
      for (const group of groups) {
        const price = parseDecimal(listed[group] ?? '', 18)
        if (price) found.set(group, price)
      }
      return found
    },
  }
}
