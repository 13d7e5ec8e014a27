/** The time of a block. Blocks of two branches may have the same number. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { TronChain } from '../chain.ts'
import { headerAt } from '../node/calls.ts'

export function blockTime({ rpc }: Pick<TronChain, 'rpc'>, { number, hash }: BlockRef): Promise<Date> {
  return rpc.use(async (node) => {
    const found = await node.ask(headerAt(number))
    if (found?.id !== hash) throw new RetryLater('another block has that number now')
    return new Date(found.time)
  })
}
