/** The block's own time, on which two thirds of the validators agreed. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { readHeader } from './blocks.ts'

export function blockTime(chain: CosmosChain, { number, hash }: BlockRef): Promise<Date> {
  return chain.rpc.use(async (node) => {
    const found = await readHeader(chain, node, number)
    if (found.hash !== hash) throw new RetryLater(`block ${number} is another one now`)
    return new Date(found.timeMs)
  })
}
