/**
 * The maximum fee of a transaction and the UTXOs that an order may spend, whatever its draft says. A signer that trusts
 * no draft runs this too, so it depends on the order, the slot, the draft and the settings alone.
 */
import { sourceKey } from '@causeway/chain-kit'
import {
  Bug,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Slot,
  SlotUnavailable,
} from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { sumOf } from '../scanning/locate-tx.ts'
import { type Output, outpointOf } from '../transaction.ts'
import { type DraftCoin, outputsFor, parseTerms, refuseForeign } from './order.ts'

export interface Spending {
  coins: DraftCoin[]
  outputs: Output[]
}

/** Builds the transaction of an order in its slot from this draft. Throws if it exceeds the limits. */
export function spendingOf(chain: BitcoinChain, order: Order, slot: Slot, draft: PreparedTransfer): Spending {
  refuseForeign(chain, order)
  if (slot.length === 0 || new Set(slot).size < slot.length) throw new Bug('not a slot of this family', { slot })
  const terms = parseTerms(draft)
  const coins = slot.map((part) => {
    if (!outpointOf(part)) throw new Bug('not a slot of this family', { part })
    const coin = terms.coins.find((one) => one.part === part)
    if (!coin) throw new SlotUnavailable(`the coin ${part} of the slot is not there now`)
    if (coin.units < 0n) throw new Bug('a coin of less than nothing', { part })
    refuseStrange(order, coin)
    return coin
  })
  const outputs = outputsFor(chain, order, coins, terms)
  if (!outputs)
    throw new RetryLater('the coins of the slot do not cover this and its fee, or would leave too much of it')
  return { coins, outputs }
}

/**
 * The maximum cost, and the amount of each UTXO as a fee fact. A signature covers only the amount of its own UTXO: a
 * service that lies about one UTXO in this transaction and about another in the next could combine two valid signatures
 * and leave the difference to a miner. So the signer remembers the amounts.
 */
export function exposureOf(chain: BitcoinChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  const { coins, outputs } = spendingOf(chain, order, slot, draft)
  return { feeUnits: sumOf(coins) - sumOf(outputs), facts: coins.map(({ units }) => units.toString()) }
}

/**
 * Throws unless the UTXO may be spent by this order: deposit addresses only by sweeps that name them; all other UTXOs
 * are the treasury's.
 */
function refuseStrange(order: Order, { part, source }: DraftCoin): void {
  const isMeant = order.kind === 'sweep' ? order.sources.some((one) => sourceKey(one) === source) : source === null
  if (!isMeant) throw new Bug('a coin of an address that the order does not name', { part, source })
}
