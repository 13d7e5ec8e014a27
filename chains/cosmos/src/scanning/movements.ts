/**
 * All movements of an account in a range of blocks, by the bank's own events: of transactions, of failed ones too
 * (their fee), and of the blocks themselves. The blocks are verified to follow one another, so none is omitted; neither
 * an index nor a balance could prove that.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { type Address, type Amount, type BlockRef, type Movement, RetryLater, type Slot } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Event } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { formatPart } from '../paying/slot.ts'
import { type Landed, type ReadBlock, readWhole } from './blocks.ts'
import { received, spent, usedNumbers } from './events.ts'
import { headOf } from './head.ts'
import type { Walked } from './history-cursor.ts'
import { placeOf } from './sightings.ts'

/** Concurrent block reads. */
const BATCH = 8

export function movements(chain: CosmosChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  return chain.rpc.use((node) => read(chain, node, account, from < 1n ? 1n : from, to))
}

async function read(chain: CosmosChain, node: Node, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  const { height: head } = await headOf(chain, node)
  if (to > head) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
  const begun = chain.walked
  const isSame = begun?.account === account && begun.from === from && begun.next <= to + 1n
  const walked: Walked = isSame ? begun : { account, from, next: from, parent: null, found: [] }
  chain.walked = walked
  while (walked.next <= to) {
    const { next } = walked
    const last = next + BigInt(BATCH) - 1n < to ? next + BigInt(BATCH) - 1n : to
    const heights = Array.from({ length: Number(last - next) + 1 }, (_, at) => next + BigInt(at))
    for (const one of await Promise.all(heights.map((height) => readWhole(chain, node, height, head)))) {
      if (walked.parent !== null && one.block.parent !== walked.parent)
        throw new NodeFailure(`node ${node.name} shows blocks that do not follow one another`)
      walked.parent = one.block.hash
      walked.next = one.block.number + 1n
      walked.found.push(...movementsIn(chain, account, one))
    }
  }
  chain.walked = null
  return walked.found
}

function movementsIn(chain: CosmosChain, account: Address, { block, landed, events }: ReadBlock): Movement[] {
  const { number, hash } = block
  const ref: BlockRef = { number, hash }
  const own = landed.flatMap((one): Movement[] => {
    const changes = changesIn(chain, account, one.result.events)
    const slot = slotOf(account, one)
    if (changes.length === 0 && slot === null) return []
    return [{ txHash: one.hash, block: ref, changes, slot }]
  })
  // Coins from the block itself are identified by the block's position.
  const byItself = changesIn(chain, account, events)
  return byItself.length > 0 ? [...own, { txHash: placeOf(number), block: ref, changes: byItself, slot: null }] : own
}

/**
 * The slot that a transaction used: the sequences that the chain itself reports as used. A sender may show our public
 * key next to their own sequence, and may omit a key. A transaction rejected before its fee was charged used none.
 */
function slotOf(account: Address, { transaction, result }: Landed): Slot | null {
  const named = usedNumbers(result.events)
  const shown = transaction?.signers.flatMap(({ address, sequence }) => (address ? [{ address, sequence }] : [])) ?? []
  // If a node reports no sequence at all, a successful transaction is attributed to the signers it shows: better ours
  // than unknown.
  const parts = [...new Set(named.length > 0 || result.code !== 0 ? named : shown.map(formatPart))]
  const isOurs = (part: string) => part.startsWith(`${account}/`)
  if (!parts.some(isOurs)) return null
  return [...parts.filter(isOurs), ...parts.filter((part) => !isOurs(part))]
}

function changesIn({ tokens }: CosmosChain, account: Address, events: readonly Event[]): Amount[] {
  const came = received(events).filter(({ address }) => address === account)
  const left = spent(events).filter(({ address }) => address === account)
  const sum = (flows: typeof came, wanted: string) =>
    flows.reduce((units, { denom, units: more }) => (denom === wanted ? units + more : units), 0n)
  return [...tokens].flatMap(([denom, token]) =>
    [
      { token, units: sum(came, denom) },
      { token, units: -sum(left, denom) },
    ].filter(({ units }) => units !== 0n),
  )
}
