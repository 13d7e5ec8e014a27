/** The current gas price and our offer: the whole fee is charged, however little gas is used. */
import { FeeAboveLimit, type Fees, mulDiv } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { gasPrice } from '../node/queries.ts'
import { feeFor } from './max-signing-cost.ts'

/** A margin for a price that may rise until the transaction is in a block. */
const HEADROOM_PERCENT = 150n
/** Gas of a send to a new account, with a margin; sweeps also verify a signature per address. */
export const TRANSFER_GAS = 160_000n
const SWEEP_GAS = 180_000n

/** The offered gas price in 10^-18 base units. Throws if it is above the limit. */
export async function offeredPrice({ settings, network }: CosmosChain, node: Node): Promise<bigint> {
  const { gasPrice: least, maxGasPrice: most, feeModel, denom } = settings
  const asked = await gasPrice(node, feeModel, denom)
  if (asked === null) return least
  if (asked > most) throw new FeeAboveLimit(`${network.name}: gas costs ${asked} now, above the ceiling of ${most}`)
  const wanted = mulDiv(asked, HEADROOM_PERCENT, 100n, 'up')
  const offered = wanted > least ? wanted : least
  return offered < most ? offered : most
}

export function fees(chain: CosmosChain): Promise<Fees> {
  return chain.rpc.use(async (node) => {
    const price = await offeredPrice(chain, node)
    const transfer = feeFor(TRANSFER_GAS, price)
    return { nativeTransfer: transfer, tokenTransfer: transfer, sweep: feeFor(SWEEP_GAS, price) }
  })
}
