/** The block time by the cluster's own clock: a slot alone does not distinguish blocks of two forks. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { blockRoot } from '../node/calls.ts'

export function blockTime({ rpc }: Pick<SolanaChain, 'rpc'>, { number, hash }: BlockRef): Promise<Date> {
  return rpc.use(async (node) => {
    const [root] = await node.ask([blockRoot(number)])
    if (root.hash !== hash) throw new RetryLater('another block is in that slot now')
    if (root.time === null) throw new RetryLater('the node does not tell when the block was made')
    return new Date(root.time * 1000)
  })
}
