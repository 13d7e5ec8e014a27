/**
 * What a transaction may cost at most by the network's file, whatever its draft says. A signer that believes no draft runs
 * this too, so it depends on the order, the draft and the settings alone.
 */
import { Bug, type Exposure, type FeeBounds, type Order, RetryLater } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { mostCallGas } from './callgas.ts'
import type { Terms } from './prepare.ts'

/** No transaction may use more (EIP-7825); more is wanted only where a network's own bound for one transfer is above it. */
const MOST_GAS = 16_777_216n
/** What a rollup charges for the layer below is not in what is signed: reckoned for each byte at a price that is rarely seen. */
const GAS_PER_BYTE = 16n
const PRICE_BELOW = 500_000_000_000n
/** Signature, nonce, prices and their lengths, beside the data. */
const FRAME_BYTES = 250n

/** Throws where the terms are beyond the bounds. */
export function exposureOf(chain: EvmChain, order: Order, terms: Terms, dataBytes: number): Exposure {
  const { settings } = chain
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = terms
  const most = gasBound(chain, order)
  if (gas <= 0n || maxFeePerGas < 0n || maxPriorityFeePerGas < 0n) throw new Bug('not a draft of this family', {})
  if (gas > most) throw new RetryLater(`it would use ${gas} gas, and may use ${most}`)
  if (maxFeePerGas > settings.maxFeePerGas) {
    throw new RetryLater(`it offers ${maxFeePerGas} wei for gas, and may offer ${settings.maxFeePerGas}`)
  }
  if (maxPriorityFeePerGas > maxFeePerGas) throw new RetryLater('it offers a tip above its whole price')
  return { feeUnits: gas * maxFeePerGas + feeBelow(settings, dataBytes) }
}

/** Of one payment of a token or of coins. Ten of them, whose gas and price are far above the usual, last for a busy hour. */
export function feeBounds(settings: Settings): FeeBounds {
  const payment = transferGas(settings) * settings.maxFeePerGas + feeBelow(settings, 100)
  return { payment, hour: 10n * payment }
}

function gasBound(chain: EvmChain, order: Order): bigint {
  const transfer = transferGas(chain.settings)
  const most = transfer > MOST_GAS ? transfer : MOST_GAS
  if (order.kind === 'cancel' || (order.kind === 'transfers' && order.call === undefined)) return transfer
  const wanted = order.kind === 'sweep' ? transfer * BigInt(order.sources.length) : mostCallGas(chain, order)
  return wanted < most ? wanted : most
}

function transferGas({ maxTransferGas, gasMarginPercent }: Settings): bigint {
  return (maxTransferGas * (100n + gasMarginPercent)) / 100n
}

function feeBelow({ l1FeeOracle }: Settings, dataBytes: number): bigint {
  return l1FeeOracle ? (FRAME_BYTES + BigInt(dataBytes)) * GAS_PER_BYTE * PRICE_BELOW : 0n
}
