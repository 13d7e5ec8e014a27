/**
 * Which transaction in the chain spent a coin. Most nodes have no index for that, so blocks are searched from the newest down,
 * a few a call; where a search stopped is remembered, and the next call goes on. Not found yet is no answer.
 */
import { block, blockHash, chainInfo, spendersOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate.ts'
import { type Outpoint, partOf } from '../transaction.ts'

export interface SpenderSearch {
  /** The spender's id, in whatever block it was found; null while it was not. */
  find(node: Node, coin: Outpoint): Promise<string | null>
}

interface Progress {
  spender: string | null
  /** The heights searched so far, both included. */
  low: number
  high: number
}

/** Some 4 MB of hex each on a busy network. */
const BLOCKS_A_CALL = 12
/** Slots that are open at once and whose coins something else spent: hardly ever one. */
const MOST_REMEMBERED = 1_000

export function openSpenderSearch(): SpenderSearch {
  const searches = new Map<string, Progress>()
  return {
    async find(node, coin) {
      const part = partOf(coin)
      const known = searches.get(part)
      if (known?.spender) return known.spender
      // Core 31 can keep an index of spenders; an older node tells only what waits, and that proves nothing later on.
      const [[told]] = await node.ask([spendersOf([coin])])
      if (told) return told
      const made = await locate(node, coin.txid)
      // A coin that is in no block cannot have been spent in one.
      if (made.state !== 'included') return null
      const [head] = await node.ask([chainInfo()])
      const progress = await search(node, coin, Number(made.block.number), head.height, known)
      if (searches.size >= MOST_REMEMBERED) searches.clear()
      searches.set(part, progress)
      return progress.spender
    },
  }
}

async function search(
  node: Node,
  coin: Outpoint,
  lowest: number,
  head: number,
  before: Progress | undefined,
): Promise<Progress> {
  const progress = before ? { ...before } : { spender: null, low: head + 1, high: head }
  for (let read = 0; read < BLOCKS_A_CALL && progress.spender === null; read++) {
    const isNewer = progress.high < head
    const height = isNewer ? progress.high + 1 : progress.low - 1
    if (height < lowest) break
    progress.spender = await spenderIn(node, height, coin)
    if (isNewer) progress.high = height
    else progress.low = height
  }
  return progress
}

async function spenderIn(node: Node, height: number, { txid, vout }: Outpoint): Promise<string | null> {
  const [hash] = await node.ask([blockHash(height)])
  const [{ transactions }] = await node.ask([block(hash)])
  const spender = transactions.find(({ inputs }) => inputs?.some((input) => input.txid === txid && input.vout === vout))
  return spender?.txid ?? null
}
