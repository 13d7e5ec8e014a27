/** The current gas price, and the fees of the usual transactions. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { gasPrice, parameters } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { feeFor, type Pricing, pricingOf } from './gas.ts'

/** Blocks within which a payout should be included; the price moves a few percent per block at most. */
const HORIZON = 10

export async function pricingNow(node: Node): Promise<Pricing> {
  const [known, price] = await Promise.all([node.ask(parameters()), node.ask(gasPrice(HORIZON))])
  return pricingOf(known, price)
}

/**
 * The shape of a usual payout: a coin of the asset, one for the fee, and often a second one; the payment, the change of
 * each asset, and split change.
 */
const NATIVE = { inputs: 2, outputs: 3, keys: 1 }
const TOKEN = { inputs: 3, outputs: 4, keys: 1 }
/** The size of a sweep of one more address. */
const SWEEP = { inputs: 2, outputs: 2, keys: 2 }

export function fees(chain: FuelChain): Promise<Fees> {
  return chain.rpc.use(async (node) => {
    const pricing = await pricingNow(node)
    // A fee is never zero.
    const costOf = (shape: typeof NATIVE) => {
      const bounded = atMost(feeFor(pricing, shape), chain.settings.maxFee)
      return bounded > 0n ? bounded : 1n
    }
    return { nativeTransfer: costOf(NATIVE), tokenTransfer: costOf(TOKEN), sweep: costOf(SWEEP) }
  })
}
