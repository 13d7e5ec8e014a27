/**
 * The maximum cost of a transaction by the network's file, whatever its draft says. A signer that trusts no draft runs
 * this too, so it depends on the order, the draft and the settings alone.
 */
import { Bug, type FeeBounds, type MaxSigningCost, type Order, RetryLater } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { LAYERS, mostCallGas } from './call-gas.ts'
import { mostApart } from './l1-data-fee.ts'
import type { Terms } from './prepare.ts'

/** Gas limit of one transaction (EIP-7825), unless the network's own limit for a transfer is higher. */
const MOST_GAS = 16_777_216n

/** Throws if the terms exceed the bounds. */
export function exposureOf(chain: EvmChain, order: Order, terms: Terms, dataBytes: number): MaxSigningCost {
  const { settings } = chain
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = terms
  const most = gasBound(chain, order)
  if (gas <= 0n || maxFeePerGas < 0n || maxPriorityFeePerGas < 0n) throw new Bug('not a draft of this family', {})
  if (gas > most) throw new RetryLater(`it would use ${gas} gas, and may use ${most}`)
  if (maxFeePerGas > settings.maxFeePerGas) {
    throw new RetryLater(`it offers ${maxFeePerGas} wei for gas, and may offer ${settings.maxFeePerGas}`)
  }
  if (maxPriorityFeePerGas > maxFeePerGas) throw new RetryLater('it offers a tip above its whole price')
  return { feeUnits: gas * maxFeePerGas + mostApart(settings, dataBytes) }
}

/**
 * The default fee limits of a signer: the cost of one token or coin payment; ten of these, with gas and price far above
 * the usual, for a busy hour.
 */
export function feeBounds(settings: Settings): FeeBounds {
  const payment = transferGas(settings) * settings.maxFeePerGas + mostApart(settings, 100)
  return { payment, hour: 10n * payment }
}

function gasBound(chain: EvmChain, order: Order): bigint {
  const transfer = transferGas(chain.settings)
  const most = transfer > MOST_GAS ? transfer : MOST_GAS
  if (order.kind === 'cancel' || (order.kind === 'transfers' && order.call === undefined)) return transfer
  const wanted = order.kind === 'sweep' ? transfer * BigInt(order.sources.length) : mostCallGas(chain, order)
  return wanted < most ? wanted : most
}

/** The gas of the longest transfer, including the gas that the chain may add. */
function transferGas({ maxTransferGas, maxLayerGas, gasMarginPercent }: Settings): bigint {
  return ((maxTransferGas + LAYERS.transfer * maxLayerGas) * (100n + gasMarginPercent)) / 100n
}
