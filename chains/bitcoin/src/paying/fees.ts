/** What a virtual byte costs now, and what the usual transactions cost by that. */
import type { Fees } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { feeEstimate, mempoolFloor } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { feeFor, sizeOf } from './size.ts'

/** Sat per 1000 virtual bytes: the node's estimate, or the fallback, never below what its mempool takes. */
export async function feeRate({ settings }: BitcoinChain, node: Node): Promise<bigint> {
  const [estimate, floor] = await node.settle([feeEstimate(settings.feeTargetBlocks), mempoolFloor()])
  const wanted = estimate instanceof Refusal || estimate === null ? settings.fallbackFeeRate : estimate
  const lowest = floor instanceof Refusal || floor < settings.minFeeRate ? settings.minFeeRate : floor
  const rate = wanted < lowest ? lowest : wanted
  return rate > settings.maxFeeRate ? settings.maxFeeRate : rate
}

/** A payout often needs a second coin, and pays the longest script there is. */
const PAYOUT_COINS = 2
const LONGEST_SCRIPT = 34

export function fees(chain: BitcoinChain): Promise<Fees> {
  const own = chain.treasuryScript.length
  return chain.rpc.use(async (node) => {
    const rate = await feeRate(chain, node)
    const payout = feeFor(sizeOf(PAYOUT_COINS, [LONGEST_SCRIPT, own]), rate)
    return { nativeTransfer: payout, tokenTransfer: payout, sweep: feeFor(sizeOf(1, [own]), rate) }
  })
}
