/** Amounts for people on the command line: symbols of all known tokens, and dollars at the prices that the service stored. */
import { Bug, tokenKey } from '@causeway/core'
import { type Amounts, amountsOf } from '../../market/amounts.ts'
import type { Database } from '../../store/db/database.ts'
import { readPrices } from '../../store/market/asset-prices.ts'
import { readKnown } from '../../store/market/known-assets.ts'

/** An older price is not shown, and counts as unknown for dual control. */
const MAX_AGE_MS = 10 * 60_000

export async function storedAmounts(database: Database, now: Date): Promise<Amounts> {
  const [{ tokens }, prices] = await Promise.all([readKnown(database), readPrices(database)])
  const known = new Map(tokens.map((token) => [`${token.network} ${tokenKey(token)}`, token]))
  const fresh = new Map(
    prices.filter(({ at }) => now.getTime() - at.getTime() < MAX_AGE_MS).map(({ name, usd }) => [name, usd]),
  )
  return amountsOf({
    catalogue: {
      token(network, key) {
        const token = known.get(`${network} ${key}`)
        if (!token) throw new Bug('an unknown token', { network, key })
        return token
      },
    },
    market: { price: ({ group, symbol, poolOnly }) => (poolOnly ? null : (fresh.get(group ?? symbol) ?? null)) },
  })
}
