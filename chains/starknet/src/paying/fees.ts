/** The current cost of a payment: its usual gas at the newest block's prices, bounded by what we would sign. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { header } from '../node/calls.ts'
import { ceilingOf, note } from './price-history.ts'
import { usualGas } from './terms.ts'

export async function fees(chain: StarknetChain): Promise<Fees> {
  const { prices } = await chain.rpc.use(async (node) => (await node.ask([header('latest')]))[0])
  const { settings } = chain
  const now = Date.now()
  const most = ceilingOf(chain.prices, settings.maxL2Price, settings.maxFeeMultiple, now)
  note(chain.prices, prices.l2Gas, now)
  const { l2Gas, dataGas } = usualGas(settings, 1n)
  const units = l2Gas * atMost(prices.l2Gas, most) + dataGas * atMost(prices.l1DataGas, settings.maxDataPrice)
  // Every token is a contract here, the native one, too. There are no sweeps.
  return { nativeTransfer: units, tokenTransfer: units, sweep: units }
}
