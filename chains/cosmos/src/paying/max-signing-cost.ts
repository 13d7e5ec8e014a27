/**
 * The maximum cost of a transaction by the network's file, whatever its draft says. A signer that trusts no draft runs
 * this too, so it depends on the order, the slot, the draft and the settings alone.
 */
import {
  Bug,
  type FeeBounds,
  type MaxSigningCost,
  mulDiv,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Slot,
} from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { PRICE_DECIMALS, type Settings } from '../settings.ts'
import { messagesOf } from './order.ts'
import { partsOf } from './slot.ts'
import { parseTerms, type Terms } from './terms.ts'

const ONE = 10n ** BigInt(PRICE_DECIMALS)

export function exposureOf(chain: CosmosChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  const terms = parseTerms(draft)
  assertSlotFits(chain, order, slot, terms)
  const { gas, feeUnits, timeoutHeight, sources } = terms
  const most = mostGas(chain.settings, messagesOf(chain, order, sources).length)
  if (gas <= 0n || timeoutHeight <= 0n) throw new Bug('not a draft of this family', { gas, timeoutHeight })
  if (gas > most) throw new RetryLater(`it asks for ${gas} gas, and may ask for ${most}`)
  const dearest = feeFor(gas, chain.settings.maxGasPrice)
  if (feeUnits > dearest) throw new RetryLater(`it offers a fee of ${feeUnits}, and may offer ${dearest}`)
  return { feeUnits }
}

/**
 * The default fee limits per payment. The whole fee is charged, and blocks are seconds apart: a hundred payments make a
 * busy hour at the highest prices.
 */
export function feeBounds(settings: Settings): FeeBounds {
  const payment = feeFor(mostGas(settings, 1), settings.maxGasPrice)
  return { payment, hour: 100n * payment }
}

export function mostGas({ maxMessageGas }: Settings, messages: number): bigint {
  return maxMessageGas * BigInt(messages)
}

/** The fee for this gas at this price, rounded up. */
export function feeFor(gas: bigint, price: bigint): bigint {
  return mulDiv(gas, price, ONE, 'up')
}

/**
 * Throws unless the slot has exactly the treasury's sequence and one per swept address: no signature uses a sequence
 * that the slot does not name.
 */
function assertSlotFits({ treasury }: CosmosChain, order: Order, slot: Slot, { sources }: Terms): void {
  const [own, ...others] = partsOf(slot)
  if (own?.address !== treasury) throw new Bug('the slot is of another account', { slot })
  if (order.kind !== 'sweep') {
    // A cancellation of a sweep uses the treasury's sequence, without which the sweep can never be mined.
    const isAlone = others.length === 0 || order.kind === 'cancel'
    if (!isAlone || sources.length > 0) throw new Bug('the slot is of a sweep', { slot })
    return
  }
  const isOrdered = sources.every(({ address }) => order.sources.some((source) => source.address === address))
  const isSame = sources.length === others.length && sources.every(({ address }, at) => others[at]?.address === address)
  if (!isOrdered || !isSame || sources.length === 0) throw new Bug('the slot is of another sweep', { slot })
  if (sources.some(({ units }) => units <= 0n)) throw new Bug('a sweep of nothing', { slot })
}
