/** The batch's own time. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { batches } from '../node/calls.ts'

export function blockTime({ rpc }: StarkExChain, { number, hash }: BlockRef): Promise<Date> {
  return rpc.use(async (node) => {
    const [found] = (await node.ask(batches(number, 1))).batches
    if (found?.hash !== hash) throw new RetryLater(`batch ${number} is another one`)
    return found.time
  })
}
