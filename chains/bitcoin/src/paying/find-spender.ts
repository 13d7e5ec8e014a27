/**
 * Finds the transaction that spent a UTXO. Most nodes have no index for that, so blocks are searched from the newest
 * down, a few per call. The position is remembered and the next call continues. "Not found yet" is not an answer.
 */
import { boundedMap } from '@causeway/chain-kit'
import { block, blockHash, type ChainInfo, chainInfo, spendersOf } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { type Outpoint, partOf } from '../transaction.ts'

export interface SpenderSearch {
  /** The spender's id, in any block; null if it is not found yet. */
  find(node: Node, coin: Outpoint): Promise<string | null>
}

interface Progress {
  spender: string | null
  /** The heights searched so far, both included. */
  low: number
  high: number
  /** The hash of the newest of them: while it is canonical, so are all below it. */
  hash: string
}

/** Blocks per call: some 4 MB of hex each on a busy network. */
const BLOCKS_A_CALL = 12
/** Limit of remembered searches: open slots whose UTXOs another transaction spent are very rare. */
const MOST_REMEMBERED = 1_000

export function openSpenderSearch(): SpenderSearch {
  const searches = boundedMap<string, Progress>(MOST_REMEMBERED)
  return {
    async find(node, coin) {
      const part = partOf(coin)
      const known = await stillStanding(node, searches.get(part))
      if (known?.spender) return known.spender
      // Core 31 can keep an index of spenders; an older node reports only pending ones, which prove nothing later.
      const [[told]] = await node.ask([spendersOf([coin])])
      if (told) return told
      const made = await locate(node, coin.txid)
      // A UTXO that is in no block cannot have been spent in one.
      if (made.state !== 'included') return null
      const [head] = await node.ask([chainInfo()])
      const progress = await search(node, coin, Number(made.block.number), head, known)
      searches.set(part, progress)
      return progress.spender
    },
  }
}

/** A result from blocks that were replaced since is discarded, and the search starts again. */
async function stillStanding(node: Node, known: Progress | undefined): Promise<Progress | undefined> {
  if (!known) return undefined
  const [hash] = await node.settle([blockHash(known.high)])
  return hash instanceof Refusal || hash !== known.hash ? undefined : known
}

async function search(
  node: Node,
  coin: Outpoint,
  lowest: number,
  head: ChainInfo,
  before: Progress | undefined,
): Promise<Progress> {
  const beginning = { spender: null, low: head.height + 1, high: head.height, hash: head.hash }
  const progress: Progress = before ? { ...before } : beginning
  for (let read = 0; read < BLOCKS_A_CALL && progress.spender === null; read++) {
    const isNewer = progress.high < head.height
    const height = isNewer ? progress.high + 1 : progress.low - 1
    if (height < lowest) break
    const { spender, hash, parent } = await spenderIn(node, height, coin)
    if (isNewer && parent !== progress.hash) return beginning
    progress.spender = spender
    if (isNewer) Object.assign(progress, { high: height, hash })
    else progress.low = height
  }
  return progress
}

async function spenderIn(node: Node, height: number, { txid, vout }: Outpoint) {
  const [hash] = await node.ask([blockHash(height)])
  const [{ transactions, parent }] = await node.ask([block(hash)])
  const spender = transactions.find(({ inputs }) => inputs?.some((input) => input.txid === txid && input.vout === vout))
  return { spender: spender?.txid ?? null, hash, parent }
}
