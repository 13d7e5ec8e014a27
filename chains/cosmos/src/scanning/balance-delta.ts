/**
 * If results are read for some blocks only: whether a watched address's balance at the end of a range differs from what
 * was seen. Then every block of it is read.
 */
import { NodeRefusal } from '@causeway/chain-kit'
import type { Address, BlockRef, Watchlist } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { balance } from '../node/queries.ts'
import type { ReadBlock } from './blocks.ts'
import { received, spent } from './events.ts'

/** Addresses per scan: each needs a query per token. */
const MOST_ADDRESSES = 50

export async function haveChanged(
  chain: CosmosChain,
  node: Node,
  before: BlockRef,
  reads: readonly ReadBlock[],
  ours: Watchlist,
): Promise<boolean> {
  const last = reads.at(-1)?.block
  if (!last) return false
  const { recent } = (await ours.pollCandidates?.()) ?? { recent: [] }
  const addresses = [...new Set([chain.treasury, ...recent.flat()])]
  if (addresses.length > MOST_ADDRESSES) return true
  const pairs = addresses.flatMap((address) => [...chain.tokens.keys()].map((denom) => ({ address, denom })))
  const known = chain.standing?.hash === before.hash ? chain.standing.units : new Map<string, bigint>()
  const held = (height: bigint, units: ReadonlyMap<string, bigint>) =>
    Promise.all(
      pairs.map(
        async ({ address, denom }) => units.get(`${address} ${denom}`) ?? (await balance(node, address, denom, height)),
      ),
    )
  try {
    const [then, now] = await Promise.all([held(before.number, known), held(last.number, new Map())])
    const units = new Map(pairs.map(({ address, denom }, at) => [`${address} ${denom}`, now[at] ?? 0n]))
    chain.standing = { hash: last.hash, units }
    return pairs.some(({ address, denom }, at) => {
      const grown = (now[at] ?? 0n) - (then[at] ?? 0n)
      return grown !== explained(reads, address, denom)
    })
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    // The state of these blocks is pruned or not available yet: then only their results help, so they are read.
    return true
  }
}

function explained(reads: readonly ReadBlock[], address: Address, denom: string): bigint {
  const flows = (pick: typeof received) =>
    reads
      .flatMap(({ landed, events }) => [...landed.flatMap(({ result }) => pick(result.events)), ...pick(events)])
      .filter((flow) => flow.address === address && flow.denom === denom)
      .reduce((sum, { units }) => sum + units, 0n)
  return flows(received) - flows(spent)
}
