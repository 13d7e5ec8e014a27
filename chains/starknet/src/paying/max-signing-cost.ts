/**
 * The maximum cost of a transaction by the network's file, whatever its draft says. A signer that trusts no draft runs
 * this too, so it depends on the order, the draft and the settings alone.
 */
import { Bug, type FeeBounds, type MaxSigningCost, type Order, RetryLater } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { feeCeiling } from '../transaction.ts'
import { callsOf, paymentsIn } from './order.ts'
import { boundsOf, mostGas, type Terms } from './terms.ts'

/** Limit of the L1 price. Unused gas needs a price, too, and it must fit the field. */
const MOST_L1_PRICE = 1n << 100n

/** The maximum cost. Throws if the terms exceed the limits. */
export function exposureOf(chain: StarknetChain, order: Order, terms: Terms): MaxSigningCost {
  callsOf(chain, order)
  const { settings } = chain
  const { l2Gas, l2Price, dataGas, dataPrice, l1Price } = terms
  if (l2Gas === 0n || l2Price === 0n || l1Price > MOST_L1_PRICE) throw new Bug('not a draft of this family', {})
  const most = mostGas(settings, paymentsIn(order))
  if (l2Gas > most.l2Gas || dataGas > most.dataGas) {
    throw new RetryLater(`it would use ${l2Gas} and ${dataGas} of gas, and may use ${most.l2Gas} and ${most.dataGas}`)
  }
  if (l2Price > settings.maxL2Price || dataPrice > settings.maxDataPrice) {
    throw new RetryLater(
      `it offers ${l2Price} and ${dataPrice} for gas, and may offer ${settings.maxL2Price} and ${settings.maxDataPrice}`,
    )
  }
  return { feeUnits: feeCeiling({ bounds: boundsOf(terms), tip: 0n }) }
}

/**
 * The default fee limits of a signer: the cost of one payment; ten of these, with gas and price far above the usual,
 * for a busy hour.
 */
export function feeBounds(settings: Settings): FeeBounds {
  const { l2Gas, dataGas } = mostGas(settings, 1n)
  const payment = l2Gas * settings.maxL2Price + dataGas * settings.maxDataPrice
  return { payment, hour: 10n * payment }
}
