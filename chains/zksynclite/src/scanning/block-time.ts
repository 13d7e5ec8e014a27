/** The block's own time. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { block } from '../node/calls.ts'

export function blockTime({ rpc }: ZkSyncChain, { number, hash }: BlockRef): Promise<Date> {
  return rpc.use(async (node) => {
    const found = await node.ask(block(number))
    if (found?.hash !== hash) throw new RetryLater(`block ${number} is another one`)
    return found.time
  })
}
