/** The time of a masterchain block. Blocks of two forks may have the same number. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { blockHeader } from '../node/calls.ts'

export function blockTime({ rpc }: Pick<TonChain, 'rpc'>, { number, hash }: BlockRef): Promise<Date> {
  return rpc.use(async (node) => {
    const found = await node.ask(blockHeader(number))
    if (found.hash !== hash) throw new RetryLater('another block has that number now')
    return new Date(found.time * 1000)
  })
}
