/**
 * The maximum cost of a message and the jetton wallets that it may use, whatever its draft says. A signer that trusts
 * no draft runs this too, so it depends on the order, the slot and the network's file alone.
 */
import {
  type Address,
  type FeeBounds,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Slot,
} from '@causeway/core'
import type { TonChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { BATCH_VALUE, type Writing } from './message.ts'
import { transfersOf } from './order.ts'
import { queryOf } from './slot.ts'
import { parseTerms } from './terms.ts'

/** Fee limit per message: far more than it costs to execute and forward one. */
export const MOST_PER_MESSAGE = 20_000_000n

export function exposureOf(chain: TonChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  const transfers = transfersOf(chain, order)
  writingOf(chain, order, slot, draft)
  const jettons = transfers.filter(({ amount }) => amount.token.contract !== null).length
  // Messages of the payout: the external one, one per transfer, and with several transfers one to ourselves.
  const messages = BigInt(1 + transfers.length + (transfers.length === 1 ? 0 : 1))
  const toItself = transfers.length === 1 ? 0n : BATCH_VALUE
  return { feeUnits: messages * MOST_PER_MESSAGE + toItself + BigInt(jettons) * chain.settings.jettonValue }
}

/**
 * The default fee limits of a signer, per jetton payment. Most of the attached value is usually returned, so the worst
 * case adds up quickly.
 */
export function feeBounds({ jettonValue }: Settings): FeeBounds {
  const payment = 3n * MOST_PER_MESSAGE + BATCH_VALUE + jettonValue
  return { payment, hour: 300n * payment }
}

export function writingOf(chain: TonChain, order: Order, slot: Slot, draft: PreparedTransfer): Writing {
  const { treasury, settings } = chain
  const { variant, wallets: told } = parseTerms(draft)
  const masters = new Set(transfersOf(chain, order).flatMap(({ amount }) => amount.token.contract ?? []))
  const wallets = new Map([...masters].map((master) => [master, walletOf(chain, master, told[master])]))
  const query = queryOf(slot)
  if (isAhead(chain, query.createdAt)) throw new RetryLater('it would be good only from a later time on')
  return { treasury, query, wallets, jettonValue: settings.jettonValue, variant }
}

/**
 * Whether the time is ahead of our own clock: a message dated in the future is neither accepted nor expired before that
 * time.
 */
export function isAhead({ settings }: Pick<TonChain, 'settings'>, time: number): boolean {
  return time > Date.now() / 1_000 + settings.maxLeadSeconds
}

/** Our jetton wallet: the one pinned in the network's file; a node's answer is used only if drafts are trusted. */
function walletOf({ ownWallets, distrusts }: TonChain, master: Address, told: Address | undefined): Address {
  const pinned = ownWallets.get(master)
  if (pinned !== undefined) return pinned
  if (distrusts) throw new RetryLater(`our wallet of ${master} is not pinned: the setting jettons must name it`)
  if (told === undefined) throw new RetryLater(`our wallet of ${master} is not known`)
  return told
}
