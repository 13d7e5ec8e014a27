/** Coins that contracts sent to deposit addresses, in blocks that were read as a whole or because something had changed there. */
import { type Address, RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import type { Block } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type CoinBlock, coinsSince } from './coins.ts'
import { hashAt, type Memory } from './cursor.ts'
import { innerSightings, sweepsIn } from './inner.ts'
import type { BlockWithLogs } from './sightings.ts'

/** Every node keeps the state of so many blocks below the head. */
const RECENT = 64n

/** Blocks read as a whole show every transaction; what deposit addresses hold besides shows the rest. */
export async function innerIn(
  chain: EvmChain,
  node: Node,
  memory: Memory,
  blocks: readonly BlockWithLogs[],
  head: bigint,
  ours: Watchlist,
): Promise<Sighting[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last || !ours.expecting) return []
  const logs = blocks.flatMap((block) => block.logs)
  const [accounts, sweeps] = await Promise.all([ours.expecting(), sweepsIn(chain, logs, ours)])
  if (accounts.length === 0 && sweeps.size === 0) return []
  const before = { number: memory.number, hash: hashAt(memory, memory.number) ?? first.parentHash }
  const changed = await coinsSince(chain, node, accounts, before, last, sweeps)
  if (changed === null) {
    // A node that told of them before tells of them again: another one behind the same address does not have the block yet.
    if (chain.coins.standing !== null && last.number + RECENT >= head)
      throw new RetryLater('a node does not have the state of a new block yet')
    const fields = { network: chain.network.name, block: last.number }
    chain.log.warn(fields, 'node has no state of these blocks: coins sent by contracts are not seen')
    return []
  }
  return innerOf(chain, node, changed, blocks)
}

export async function innerOf(
  chain: EvmChain,
  node: Node,
  changed: readonly CoinBlock[],
  blocks: readonly Block[],
): Promise<Sighting[]> {
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  const found = await Promise.all(
    changed.map(({ block: { hash }, before, after, swept }) => {
      const block = byHash.get(hash)
      const grown = new Map(
        [...after.units].flatMap(([address, units]): [Address, bigint][] => {
          const growth = units - (before.units.get(address) ?? units)
          return growth === 0n && !swept?.has(address) ? [] : [[address, growth]]
        }),
      )
      return block ? innerSightings(chain, node, block, grown) : []
    }),
  )
  return found.flat()
}
