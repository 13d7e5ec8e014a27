/** What a payment costs now: the gas that one is reckoned to use, at the newest block's prices. */
import type { Fees } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { header } from '../node/calls.ts'
import { note } from './price-history.ts'
import { usualGas } from './terms.ts'

export async function fees(chain: StarknetChain): Promise<Fees> {
  const { prices } = await chain.rpc.use(async (node) => (await node.ask([header('latest')]))[0])
  note(chain.prices, prices.l2Gas, Date.now())
  const { l2Gas, dataGas } = usualGas(chain.settings, 1n)
  const units = l2Gas * prices.l2Gas + dataGas * prices.l1DataGas
  // Every token is a contract here, the native one too. Nothing is swept.
  return { nativeTransfer: units, tokenTransfer: units, sweep: units }
}
