/** Coins that stand in blocks. What a transaction that waits would make is never among them: how much it will be nobody knows. */
import { type Address, type BlockRef, type Holdings, RetryLater, type Token } from '@causeway/core'
import { assetOf, type FuelChain } from '../chain.ts'
import { COIN_PAGE, coinsOf, type FoundCoin, headers } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

/** Anybody can send thousands of small coins: so many pages are looked through for those that are worth something. */
const MOST_PAGES = 20
/** Of each asset the largest go into a draft. */
const MOST_COINS = 500

/** The largest coins of an address. Dust beyond what is looked through is told of, and left lying. */
export async function largestCoins(
  chain: FuelChain,
  node: Node,
  owner: Address,
  asset: string,
  atLeast: bigint,
): Promise<FoundCoin[]> {
  const { coins, isAll } = await coinsOn(node, owner, asset, atLeast, MOST_PAGES)
  if (!isAll) {
    const fields = { network: chain.network.name, owner, asset, seen: coins.length }
    chain.log.warn(fields, 'an address has more coins than are looked through')
  }
  return coins.toSorted((a, b) => (a.units > b.units ? -1 : a.units < b.units ? 1 : 0)).slice(0, MOST_COINS)
}

interface Held {
  coins: FoundCoin[]
  isAll: boolean
  /** The heights of which the pages tell; null where the node does not say. */
  heights: (bigint | null)[]
}

async function coinsOn(node: Node, owner: Address, asset: string, atLeast: bigint, pages: number): Promise<Held> {
  const coins: FoundCoin[] = []
  const heights: (bigint | null)[] = []
  let after: string | null = null
  for (let page = 0; page < pages; page++) {
    const { answer, height }: Awaited<ReturnType<typeof pageAfter>> = await pageAfter(
      node,
      owner,
      asset,
      after,
      atLeast,
    )
    coins.push(...answer.rows)
    heights.push(height)
    if (answer.after === null) return { coins, heights, isAll: true }
    after = answer.after
  }
  return { coins, heights, isAll: false }
}

function pageAfter(node: Node, owner: Address, asset: string, after: string | null, atLeast: bigint) {
  return node.told(coinsOf(owner, asset, after), atLeast)
}

/** 100,000 coins: enough for any dust that somebody has paid for. */
const MOST_COUNTED_PAGES = Math.ceil(100_000 / COIN_PAGE)
/** A block may come while coins are counted. */
const TRIES = 8
const AT_ONCE = 16

/**
 * What addresses hold, as the sum of their coins at one block. A node's own sums hold messages of the bridge as well, which
 * no transaction brings.
 */
export function holdings(chain: FuelChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Holdings> {
  return chain.rpc.use(async (node) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await countOnce(chain, node, wanted)
      if (found) return found
    }
    throw new RetryLater(`${chain.network.name}: blocks come faster than coins can be counted`)
  })
}

async function countOnce(
  chain: FuelChain,
  node: Node,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Holdings | null> {
  const { height: now } = await node.told(headers(0n, 1))
  if (now === null) throw new RetryLater(`${chain.network.name}: the node does not say of which block it tells`)
  const held: Held[] = []
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const some = wanted.slice(start, start + AT_ONCE)
    held.push(
      ...(await Promise.all(
        some.map(({ owner, token }) => coinsOn(node, owner, assetOf(chain, token), now, MOST_COUNTED_PAGES)),
      )),
    )
  }
  if (held.some(({ isAll }) => !isAll))
    throw new RetryLater(`${chain.network.name}: an address has too many coins to count`)
  if (held.some(({ heights }) => heights.some((height) => height !== now))) return null
  const block = await blockAt(node, now)
  return block && { block, units: held.map(({ coins }) => coins.reduce((sum, { units }) => sum + units, 0n)) }
}

async function blockAt(node: Node, height: bigint): Promise<BlockRef | null> {
  const [found] = await node.ask(headers(height, 1), height)
  return found ? { number: found.number, hash: found.hash } : null
}
