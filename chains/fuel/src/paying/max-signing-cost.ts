/**
 * The maximum cost of a transaction and the coins that an order may spend, whatever its draft says. A signer that
 * trusts no draft runs this too, so it depends on the order, the slot, the draft and the settings alone.
 */
import { sourceKey } from '@causeway/chain-kit'
import {
  Bug,
  FeeAboveLimit,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Slot,
  SlotUnavailable,
} from '@causeway/core'
import { parseAddress } from '../address.ts'
import { assetOf, type FuelChain } from '../chain.ts'
import { type Plan, planFor, refuseForeign } from './order.ts'
import { useOf } from './slot.ts'
import { type DraftCoin, parseTerms } from './terms.ts'

export interface Spending extends Plan {
  coins: DraftCoin[]
  tip: bigint
  until: bigint
}

/** Amounts are 64-bit numbers. */
const MOST_UNITS = 2n ** 64n

/** Builds the transaction of an order in its slot from this draft. Throws if it exceeds the limits. */
export function spendingOf(chain: FuelChain, order: Order, slot: Slot, draft: PreparedTransfer): Spending {
  refuseForeign(chain, order)
  refuseUnwritable(order)
  const { parts, until } = useOf(slot)
  const terms = parseTerms(draft)
  const coins = parts.map((part) => {
    const coin = terms.coins.find((one) => one.part === part)
    if (!coin) throw new SlotUnavailable(`the coin ${part} of the slot is not there now`)
    refuseStrange(chain, order, coin)
    return coin
  })
  const plan = planFor(chain, order, coins, terms)
  if (!plan) throw new RetryLater('the coins of the slot do not cover this and its fee')
  const { maxFee } = chain.settings
  if (plan.maxFee > maxFee)
    throw new FeeAboveLimit(`it could cost ${plan.maxFee} base units, and ${maxFee} is the bound`)
  return { ...plan, coins, tip: terms.tip, until }
}

/**
 * The maximum cost. One signature covers every input with its amount and asset, every output, and the maximum fee. If a
 * draft lies about a coin, nodes reject the transaction.
 */
export function exposureOf(chain: FuelChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  return { feeUnits: spendingOf(chain, order, slot, draft).maxFee }
}

/**
 * Throws unless the coin may be spent by this order: deposit addresses only by sweeps that name them; all other coins
 * and the fee are the treasury's.
 */
function refuseStrange(chain: FuelChain, order: Order, { part, source, asset }: DraftCoin): void {
  const isOwn = source === null
  const isMeant =
    order.kind === 'sweep'
      ? isOwn
        ? asset === chain.settings.baseAsset
        : asset === assetOf(chain, order.token) && order.sources.some((one) => sourceKey(one) === source)
      : isOwn
  if (!isMeant) throw new Bug('a coin that the order does not name', { part, source, asset })
}

function refuseUnwritable(order: Order): void {
  if (order.kind !== 'transfers') return
  for (const { to, amount } of order.transfers) {
    if (parseAddress(to) !== to) throw new Bug('not an address of this family', { to })
    if (amount.units <= 0n || amount.units >= MOST_UNITS) {
      throw new Bug('not an amount that a coin can hold', { to, units: amount.units })
    }
  }
}
