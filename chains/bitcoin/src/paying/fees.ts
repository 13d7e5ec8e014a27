/** The current price of a virtual byte, and the fees of the usual transactions. */
import { atMost } from '@causeway/chain-kit'
import { FeeAboveLimit, type Fees } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { feeEstimate, mempoolFloor } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { feeFor, sizeOf } from './size.ts'

/**
 * The offered rate in sat per 1000 virtual bytes. Throws if it is above the operator's limit: a lying node must not
 * make us overpay.
 */
export async function feeRate(chain: BitcoinChain, node: Node): Promise<bigint> {
  const rate = await rateNow(chain, node)
  const { maxFeeRate } = chain.settings
  if (rate > maxFeeRate) throw new FeeAboveLimit(`blocks cost more than ${maxFeeRate} sat per 1000 virtual bytes`)
  return rate
}

/** The node's estimate, or the fallback, never below its mempool minimum. */
async function rateNow({ settings }: BitcoinChain, node: Node): Promise<bigint> {
  const [estimate, floor] = await node.settle([feeEstimate(settings.feeTargetBlocks), mempoolFloor()])
  const wanted = estimate instanceof Refusal || estimate === null ? settings.fallbackFeeRate : estimate
  const lowest = floor instanceof Refusal || floor < settings.minFeeRate ? settings.minFeeRate : floor
  return wanted < lowest ? lowest : wanted
}

/** A payout often needs a second UTXO, and is assumed to pay the longest script type. */
const LEAST_COINS = 2
const MOST_COINS = 50
const LONGEST_SCRIPT = 34
/**
 * A usual payout is assumed to be this fraction of the treasury. If the treasury is in small UTXOs, a payout spends
 * many of them.
 */
const USUAL_PART = 50n

export function fees(chain: BitcoinChain): Promise<Fees> {
  const own = chain.treasuryScript.length
  return chain.rpc.use(async (node) => {
    const rate = atMost(await rateNow(chain, node), chain.settings.maxFeeRate)
    const payout = feeFor(sizeOf(await coinsOfPayout(chain), [LONGEST_SCRIPT, own]), rate)
    return { nativeTransfer: payout, tokenTransfer: payout, sweep: feeFor(sizeOf(1, [own]), rate) }
  })
}

/** The number of UTXOs that a usual payout spends, largest first, from the stored set: no node is asked. */
async function coinsOfPayout({ book, treasury }: BitcoinChain): Promise<number> {
  const coins = (await book?.unspent([treasury]))?.coins.map(({ units }) => units) ?? []
  const wanted = coins.reduce((sum, units) => sum + units, 0n) / USUAL_PART
  let covered = 0n
  let count = 0
  for (const units of coins.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0))) {
    if (covered >= wanted || count >= MOST_COINS) break
    covered += units
    count += 1
  }
  return Math.max(LEAST_COINS, count)
}
