/**
 * All movements of the treasury in a range of blocks, each proven, linked, and ending in the block that the node shows
 * now.
 */
import { type Address, Bug, type Movement, RetryLater } from '@causeway/core'
import type { TronChain } from '../chain.ts'
import { headerAt } from '../node/calls.ts'

export function movements(chain: TronChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  if (account !== chain.treasury) throw new Bug('not our treasury', { account })
  if (from > to) return Promise.resolve([])
  return chain.rpc.use(async (node) => {
    const last = await node.ask(headerAt(to))
    if (!last) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
    const found: Movement[] = []
    let before: string | null = null
    for (let next = from; next <= to; ) {
      const stretch = await chain.provenBlocks.told(chain, node, next, to)
      for (const { parent, id, moves } of stretch) {
        if (before !== null && parent !== before) return changed(chain, from)
        before = id
        found.push(...(moves ?? []))
      }
      next += BigInt(stretch.length)
    }
    return before === last.id ? found : changed(chain, from)
  })
}

function changed({ provenBlocks }: TronChain, from: bigint): never {
  provenBlocks.forget(from)
  throw new RetryLater('the chain changed while it was read')
}
