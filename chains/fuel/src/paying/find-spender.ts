/**
 * Finds the transaction that spent a coin. Nodes have no index for that, so blocks are searched from the creation of
 * the slot on, one range per call. The position is remembered and the next call continues. "Not found yet" is not an
 * answer.
 */
import { boundedMap } from '@causeway/chain-kit'
import { head } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isEmpty, type Reading, range, transactionsIn } from '../scanning/blocks.ts'
import { coinInputs, partOf } from '../transaction.ts'

export interface SpenderSearch {
  /** The id of a transaction that spent one of these coins, in any block; null if it is not found yet. */
  find(chain: Reading, node: Node, parts: readonly string[], from: bigint): Promise<string | null>
}

interface Progress {
  /** The spender; kept only if its block is final, because any other may be replaced. */
  spender: string | null
  /** The next block to search. */
  next: bigint
}

const HEADERS_A_CALL = 1_000n
/** Blocks read per call; each block with user transactions needs its own query. */
const BLOCKS_A_CALL = 100
/** Limit of remembered searches: open slots whose coins another transaction spent are very rare. */
const MOST_REMEMBERED = 1_000

export function openSpenderSearch(): SpenderSearch {
  const searches = boundedMap<string, Progress>(MOST_REMEMBERED)
  return {
    async find(chain, node, parts, from) {
      const key = `${parts.join()} ${from}`
      const known = searches.get(key)
      if (known?.spender) return known.spender
      const { found, progress } = await search(chain, node, new Set(parts), known?.next ?? from)
      searches.set(key, progress)
      return found
    },
  }
}

async function search(
  chain: Reading,
  node: Node,
  parts: ReadonlySet<string>,
  from: bigint,
): Promise<{ found: string | null; progress: Progress }> {
  const { number: newest } = await node.ask(head())
  const settled = newest - BigInt(chain.network.finalDepth)
  const end = from + HEADERS_A_CALL - 1n < newest ? from + HEADERS_A_CALL - 1n : newest
  let full = 0
  for (const header of end >= from ? await range(node, from, end, newest) : []) {
    if (isEmpty(header)) continue
    if (full === BLOCKS_A_CALL) return { found: null, progress: { spender: null, next: within(header.number) } }
    full += 1
    const landed = await transactionsIn(chain, node, header, newest)
    const spends = landed.find(({ transaction }) => coinInputs(transaction).some((coin) => parts.has(partOf(coin))))
    if (!spends) continue
    const isSettled = header.number <= settled
    return { found: spends.txId, progress: { spender: isSettled ? spends.txId : null, next: within(header.number) } }
  }
  return { found: null, progress: { spender: null, next: within(end + 1n) } }

  /** Blocks that are not final yet are searched again. */
  function within(next: bigint): bigint {
    const reached = next < settled ? next : settled
    return reached > from ? reached : from
  }
}
