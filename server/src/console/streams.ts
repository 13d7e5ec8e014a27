/** External state and its age: nodes by network, network fees, and prices. */
import { tokenKey } from '@causeway/core'
import { amountsOf } from '../market/amounts.ts'
import { readReadings } from '../store/market/market-snapshots.ts'
import { readHeads } from '../store/watch/cursors.ts'
import type { Console } from './console.ts'

export async function streams(house: Console) {
  const { database, catalogue, chains, market, config, now } = house
  const [heads, readings] = await Promise.all([readHeads(database), readReadings(database)])
  const { shown } = amountsOf(house)
  return {
    now: now().toISOString(),
    sources: config.prices,
    networks: catalogue.networks.map(({ name, nativeToken }) => {
      const head = heads.get(name)
      const reading = readings.find(({ network }) => network === name)
      return {
        network: name,
        head: head ? Number(head.number) : null,
        head_at: head?.at.toISOString() ?? null,
        // Names only: a URL may contain a key.
        nodes: (chains.get(name)?.nodeHealth() ?? []).map(({ name: node, trouble, failures, differed, rests }) => ({
          ...{ node, trouble, failures, differed, rests },
        })),
        cost: reading ? shown(name, tokenKey(nativeToken), reading.fees.nativeTransfer) : null,
        token_cost: reading ? shown(name, tokenKey(nativeToken), reading.fees.tokenTransfer) : null,
        cost_at: reading?.at.toISOString() ?? null,
      }
    }),
    prices: groups(house).map(([group, token]) => {
      const price = market.price(token)
      const read = market.priceRead(token)
      return {
        ...{ group, usd: price === null ? null : Number(price) / 1e18, at: read?.at?.toISOString() ?? null },
        // How many of several configured sources had a price.
        answered: read?.answered ?? null,
        asked: config.prices.length,
      }
    }),
  }
}

/** One token per price group. */
function groups({ catalogue }: Console) {
  const all = catalogue.networks.flatMap(({ tokens }) => tokens)
  return [...new Map(all.map((token) => [token.group ?? token.symbol, token]))].sort(([a], [b]) => (a < b ? -1 : 1))
}
