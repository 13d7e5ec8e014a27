/** The `Transfer` events of tokens, for exactly the blocks that were read. */
import { RetryLater } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { type EventFilter, events, type Header, type PlacedEvent } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { TRANSFER } from './transfers.ts'

/** A range whose events fill more pages than this is read in smaller parts. */
const MOST_PAGES = 200

/** Too many events: a smaller range may hold few enough. */
export class TooManyEvents extends RetryLater {
  override name = 'TooManyEvents'
}

/**
 * The transfers of every listed token, queried by contract and first key only: older tokens put nothing else into the
 * keys.
 */
export async function transfersBetween(
  chain: StarknetChain,
  node: Node,
  blocks: readonly Pick<Header, 'number' | 'hash'>[],
): Promise<PlacedEvent[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return []
  const found = await Promise.all(
    [...chain.tokens.keys()].map((contract) =>
      allPages(node, { contract, from: first.number, to: last.hash, chunk: chain.settings.eventChunk }),
    ),
  )
  return found.flat()
}

interface Wanted {
  contract: bigint
  from: bigint
  to: string
  chunk: number
}

/** Reads all pages. An empty page is not always the last: the last one has no continuation. */
async function allPages(node: Node, { contract, from, to, chunk }: Wanted): Promise<PlacedEvent[]> {
  const found: PlacedEvent[] = []
  let token: string | null = null
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const filter: EventFilter = { contract, key: TRANSFER, from, to: { hash: to }, chunk, token }
    const [page] = await node.ask([events(filter)])
    for (const event of page.events) {
      if (event.contract !== contract || event.block === null) throw new RetryLater('the node answered another request')
      found.push(event)
    }
    if (page.next === null) return found
    token = page.next
  }
  throw new TooManyEvents('these blocks hold more events than are read at once')
}
