/** Coins in blocks. Outputs of pending transactions are never included, because their amounts are not known yet. */
import type { Address, Balances, Token } from '@causeway/core'
import { assetOf, type FuelChain } from '../chain.ts'
import { COIN_PAGE, coinsOf, coinsToSpend, type FoundCoin, head, sumOf } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { partOf } from '../transaction.ts'

/** Pages that are searched for large coins: anyone can send thousands of small ones. */
const MOST_PAGES = 20
/** Limit of coins per asset in a draft: the largest ones are used. */
const MOST_COINS = 500

export interface Purse {
  owner: Address
  asset: string
  /** The amount to spend; zero if everything is swept anyway. */
  wanted: bigint
}

/** The largest coins of an address. If dust hides them, the node is asked to select enough. */
export async function largestCoins(
  chain: FuelChain,
  node: Node,
  { owner, asset, wanted }: Purse,
  atLeast: bigint,
): Promise<FoundCoin[]> {
  const { coins: seen, isAll } = await coinsOn(node, owner, asset, atLeast, MOST_PAGES)
  if (!isAll) {
    const fields = { network: chain.network.name, owner, asset, seen: seen.length }
    chain.log.warn(fields, 'an address has more coins than are searched')
  }
  const picked = isAll || wanted === 0n ? [] : await pickedBy(node, { owner, asset, wanted }, atLeast)
  const coins = new Map([...seen, ...picked].map((coin) => [partOf(coin), coin]))
  const largest = [...coins.values()].toSorted((a, b) => (a.units > b.units ? -1 : a.units < b.units ? 1 : 0))
  return largest.slice(0, MOST_COINS)
}

/**
 * The multiples of the amount that the node is asked to select: enough for several concurrent payouts, or at least for
 * one.
 */
const PICKED_MULTIPLES = [8n, 1n]

async function pickedBy(node: Node, { owner, asset, wanted }: Purse, atLeast: bigint): Promise<FoundCoin[]> {
  for (const multiple of PICKED_MULTIPLES) {
    try {
      return await node.ask(coinsToSpend(owner, asset, wanted * multiple), atLeast)
    } catch (error) {
      // The balance is too small, or the node has no index for this query.
      if (!(error instanceof Refusal)) throw error
    }
  }
  return []
}

interface Held {
  coins: FoundCoin[]
  isAll: boolean
  /** The heights of the pages; null if the node does not report them. */
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

/** Limit of counted coins, 100,000, for a node without sums. */
const MOST_COUNTED_PAGES = Math.ceil(100_000 / COIN_PAGE)
/** A block may arrive during the count, so it is repeated this often. */
const TRIES = 8
const AT_ONCE = 16

interface Wanted {
  owner: Address
  token: Token
}

/**
 * Balances of addresses as the sum of their coins at one block. With more coins than a draft reads, the node's own sum
 * is used. If the node has none and counting takes longer than a block, the balance has no block. Beyond the counting
 * limit it is the counted part: one address must not hide all others.
 */
export function holdings(chain: FuelChain, wanted: readonly Wanted[]): Promise<Balances> {
  return chain.rpc.use(async (node) => {
    let found = await countOnce(chain, node, wanted)
    for (let attempt = 1; found.block === null && found.isAll && attempt < TRIES; attempt++) {
      found = await countOnce(chain, node, wanted)
    }
    const { block, units } = found
    return { block, units }
  })
}

/** The balance at any block. */
export async function agreedUnits(chain: FuelChain, owner: Address, token: Token): Promise<bigint> {
  return chain.rpc.agreedByTwo(
    async (node) => (await countOnce(chain, node, [{ owner, token }])).units[0] ?? 0n,
    String,
  )
}

export async function unitsHeld(chain: FuelChain, owner: Address, token: Token): Promise<bigint> {
  const { units } = await chain.rpc.use((node) => countOnce(chain, node, [{ owner, token }]))
  return units[0] ?? 0n
}

async function countOnce(
  chain: FuelChain,
  node: Node,
  wanted: readonly Wanted[],
): Promise<Balances & { isAll: boolean }> {
  const top = await node.ask(head())
  const held: Sum[] = []
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const some = wanted.slice(start, start + AT_ONCE).map(async ({ owner, token }) => {
      const sum = await sumAt(chain, node, owner, assetOf(chain, token), top.number)
      const fields = { network: chain.network.name, owner, token: token.symbol, units: sum.units }
      if (!sum.isAll) chain.log.warn(fields, 'an address has more coins than are counted')
      return sum
    })
    held.push(...(await Promise.all(some)))
  }
  const isAll = held.every((one) => one.isAll)
  const isOne = held.every(({ heights }) => heights.every((height) => height === top.number))
  const units = held.map((sum) => sum.units)
  return { block: isAll && isOne ? top : null, units, isAll }
}

type Sum = Omit<Held, 'coins'> & { units: bigint }

async function sumAt(chain: FuelChain, node: Node, owner: Address, asset: string, atLeast: bigint): Promise<Sum> {
  const few = await coinsOn(node, owner, asset, atLeast, MOST_PAGES)
  if (few.isAll) return summed(few)
  return (
    (await toldSum(chain, node, owner, asset, atLeast)) ??
    summed(await coinsOn(node, owner, asset, atLeast, MOST_COUNTED_PAGES))
  )
}

function summed({ coins, ...held }: Held): Sum {
  return { ...held, units: coins.reduce((sum, coin) => sum + coin.units, 0n) }
}

async function toldSum(
  { settings }: FuelChain,
  node: Node,
  owner: Address,
  asset: string,
  atLeast: bigint,
): Promise<Sum | null> {
  try {
    const { answer, height } = await node.told(sumOf(owner, asset, asset === settings.baseAsset), atLeast)
    return answer === null ? null : { units: answer, heights: [height], isAll: true }
  } catch (error) {
    // The node does not support sums.
    if (error instanceof Refusal) return null
    throw error
  }
}
