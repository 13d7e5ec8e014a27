/**
 * Coins that contracts sent to deposit addresses, in blocks that were read in full or because a balance had changed
 * there.
 */
import { type Address, RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import type { EvmChain } from '../../chain.ts'
import type { Block } from '../../node/calls.ts'
import type { Node } from '../../node/node.ts'
import { hashAt, type Memory } from '../cursor.ts'
import { innerSightings } from './internal-transfers.ts'
import { type CoinBlock, coinsSince } from './native-balances.ts'

/** Every node keeps the state of this many blocks below the head. */
const RECENT = 64n

/**
 * Internal transfers in full blocks: these show every transaction, and the balances of deposit addresses reveal the
 * rest.
 */
export async function innerIn(
  chain: EvmChain,
  node: Node,
  memory: Memory,
  blocks: readonly Block[],
  head: bigint,
  ours: Watchlist,
): Promise<Sighting[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last || !ours.activeAddresses) return []
  const expecting = await ours.activeAddresses()
  if (expecting.length === 0) return []
  // The treasury is included, because a deposit that is swept in the same block shows only there.
  const accounts = [...new Set([chain.treasury, ...expecting])]
  const before = { number: memory.number, hash: hashAt(memory, memory.number) ?? first.parentHash }
  const since = (other: Node) => coinsSince(chain, other, accounts, before, last)
  const changed = (await since(node)) ?? (await byAnother(chain, node, since))
  if (changed === null) {
    // The node had this state before, so it will have it again: another backend behind the same address lacks the block
    // yet.
    if (chain.coins.standing !== null && last.number + RECENT >= head)
      throw new RetryLater('a node does not have the state of a new block yet')
    const fields = { network: chain.network.name, block: last.number }
    chain.log.warn(fields, 'node has no state of these blocks: coins sent by contracts are not seen')
    return []
  }
  return innerOf(chain, node, changed, blocks)
}

/** Asks another node. State is addressed by block hash, so any node that has it may answer. Null if none has it. */
async function byAnother(
  { rpc, network }: EvmChain,
  node: Node,
  since: (other: Node) => Promise<CoinBlock[] | null>,
): Promise<CoinBlock[] | null> {
  if (network.nodes.length < 2) return null
  return rpc.beside(node, since).catch((error: unknown) => {
    if (error instanceof RetryLater) return null
    throw error
  })
}

export async function innerOf(
  chain: EvmChain,
  node: Node,
  changed: readonly CoinBlock[],
  blocks: readonly Block[],
): Promise<Sighting[]> {
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  const found = await Promise.all(
    changed.map(({ block: { hash }, before, after }) => {
      const block = byHash.get(hash)
      // The earlier state must be of the block's own parent: backends on two branches would show a change at a wrong
      // block.
      if (block?.parentHash !== before.hash) throw new RetryLater('the chain changed while it was read')
      const grown = new Map(
        [...after.units].map(([address, units]): [Address, bigint] => [
          address,
          units - (before.units.get(address) ?? units),
        ]),
      )
      return innerSightings(chain, node, block, grown)
    }),
  )
  return found.flat()
}
