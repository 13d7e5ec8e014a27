/** The transactions of a swap in wire format: deposits, payouts and exchanges. */
import { confirmationsFor, isAggregated, parseRoute, type Swap, type Token, toUsd, type Usd } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { SeenDeposit, SwapView } from '../../store/swaps/swap-read.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { presentNetwork, presentToken } from './network.ts'
import { fraction, human, humanUsd } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

/** The price of a token at the swap's creation; null if it was not stored. */
export type PriceOf = (token: Token) => Usd | null

/** Null for a deposit that a reorg removed. */
export function presentInput(
  viewpoint: PresentationContext,
  row: SeenDeposit,
  priceOf: PriceOf,
): wire.Transaction | null {
  if (row.state === 'gone') return null
  const wanted = row.confirmations_wanted
  const isConfirmed = row.state === 'confirmed'
  const isInBlock = row.block_number !== null && row.state !== 'lost'
  const depth = row.block_number === null || row.head === null ? 0 : Number(row.head - row.block_number) + 1
  return {
    ...presentTransfer(viewpoint, row, priceOf),
    from: row.from_address,
    ...presentTime(row.seen_at),
    // Deep enough but not re-read from a node yet: shown with one confirmation missing, because `initiated` means that
    // some are.
    confirmations: isConfirmed ? wanted : isInBlock ? Math.max(Math.min(depth, wanted - 1), 0) : 0,
    max_confirmations: wanted,
    type: 'input',
    status: isConfirmed ? 'completed' : isInBlock ? 'initiated' : 'pending',
    fee_amount: null,
  }
}

/** Null for a payout that was abandoned before anything was sent. */
export function presentPayout(
  viewpoint: PresentationContext,
  row: PayoutRow,
  priceOf: PriceOf,
): wire.Transaction | null {
  const type = PAYOUT_TYPES[row.kind]
  if (!type || (row.state === 'abandoned' && row.tx_hash === null)) return null
  const { catalogue } = viewpoint.services
  const { nativeToken } = catalogue.network(row.network)
  const wanted = payoutConfirmations(viewpoint, row, priceOf)
  const isConfirmed = row.state === 'confirmed'
  return {
    ...presentTransfer(viewpoint, row, priceOf),
    from: row.account,
    ...presentTime(row.sent_at ?? row.created_at),
    confirmations: isConfirmed ? wanted : 0,
    max_confirmations: wanted,
    type,
    status: isConfirmed ? 'completed' : row.tx_hash === null ? 'pending' : 'initiated',
    fee_amount: row.fee_units === null ? null : human(row.fee_units, nativeToken),
  }
}

/** A deposit that we relay for its owner, once it is sent. */
export function presentRelay(
  viewpoint: PresentationContext,
  row: PayoutRow,
  owner: string,
  priceOf: PriceOf,
): wire.Transaction | null {
  if (row.tx_hash === null) return null
  const { nativeToken } = viewpoint.services.catalogue.network(row.network)
  const wanted = payoutConfirmations(viewpoint, row, priceOf)
  const isConfirmed = row.state === 'confirmed'
  return {
    ...presentTransfer(viewpoint, row, priceOf),
    from: owner,
    ...presentTime(row.sent_at ?? row.created_at),
    confirmations: isConfirmed ? wanted : 0,
    max_confirmations: wanted,
    type: 'input',
    status: isConfirmed ? 'completed' : 'initiated',
    fee_amount: row.fee_units === null ? null : human(row.fee_units, nativeToken),
  }
}

/** Returned money is shown as a refund too. */
const PAYOUT_TYPES: Record<string, wire.Transaction['type']> = {
  output: 'output',
  refuel: 'refuel',
  refund: 'refund',
  return: 'refund',
}

function presentTransfer(
  viewpoint: PresentationContext,
  row: { network: string; token: string; units: bigint; to_address: string; tx_hash: string | null },
  priceOf: PriceOf,
) {
  const { catalogue } = viewpoint.services
  const network = catalogue.network(row.network)
  const token = catalogue.token(row.network, row.token)
  const price = priceOf(token)
  const usd = price === null ? null : humanUsd(toUsd(row.units, token, price, 'down'))
  return {
    to: row.to_address,
    transaction_hash: row.tx_hash,
    amount: human(row.units, token),
    amount_in_usd: usd,
    usd_value: usd,
    usd_price: price === null ? null : fraction(price),
    token: presentToken(viewpoint, token),
    network: presentNetwork(viewpoint, network),
    fee_token: presentToken(viewpoint, network.nativeToken),
  }
}

/** The time under two names: older clients read `created_date`. */
function presentTime(at: Date) {
  const timestamp = at.toISOString()
  return { timestamp, created_date: timestamp }
}

function payoutConfirmations({ services }: PresentationContext, row: PayoutRow, priceOf: PriceOf): number {
  const token = services.catalogue.token(row.network, row.token)
  const price = priceOf(token)
  const usd = price === null ? Number.POSITIVE_INFINITY : humanUsd(toUsd(row.units, token, price, 'up'))
  return confirmationsFor(services.catalogue.network(row.network), usd)
}

/** Exchanges that were given up before anything was sent are left out. */
export function presentLegs(viewpoint: PresentationContext, view: SwapView): wire.Leg[] {
  const byDepositor = presentUserExchange(viewpoint, view)
  return [...(byDepositor ? [byDepositor] : []), ...view.payouts.flatMap((row) => presentLeg(viewpoint, row) ?? [])]
}

/** The exchange that the depositor makes: awaited, or as the pool's transfer to the deposit address shows it. */
function presentUserExchange(viewpoint: PresentationContext, { swap, deposits, createdAt }: SwapView): wire.Leg | null {
  const { userExchange: exchange } = swap
  if (!exchange) return null
  const route = parseRoute(exchange.route)
  const pool = isAggregated(route) ? null : route.pool.toLowerCase()
  const made = deposits.find(
    ({ state, senders }) => state !== 'gone' && senders.some((sender) => sender.toLowerCase() === pool),
  )
  if (!made && swap.status !== 'user_transfer_pending') return null
  const { provider, network, sells, buys, inUnits, minUnits } = exchange
  const isConfirmed = made?.state === 'confirmed'
  return {
    type: 'sale',
    made_by: 'depositor',
    provider,
    network: presentNetwork(viewpoint, viewpoint.services.catalogue.network(network)),
    sold_token: presentToken(viewpoint, sells),
    sold_amount: human(inUnits, sells),
    bought_token: presentToken(viewpoint, buys),
    bought_amount: isConfirmed ? human(made.units, buys) : null,
    min_bought_amount: human(minUnits, buys),
    status: isConfirmed ? 'completed' : made ? 'initiated' : 'pending',
    transaction_hash: made?.tx_hash ?? null,
    timestamp: (made?.seen_at ?? createdAt).toISOString(),
  }
}

function presentLeg(viewpoint: PresentationContext, row: PayoutRow): wire.Leg | null {
  const { leg, network, state, tx_hash: hash } = row
  if (!leg || (state === 'abandoned' && hash === null)) return null
  const { catalogue } = viewpoint.services
  const [sold, bought] = [catalogue.token(network, row.token), catalogue.token(network, leg.buys)]
  const isConfirmed = state === 'confirmed'
  return {
    type: row.kind === 'sale' ? 'sale' : 'purchase',
    made_by: 'service',
    provider: leg.provider,
    network: presentNetwork(viewpoint, catalogue.network(network)),
    sold_token: presentToken(viewpoint, sold),
    sold_amount: human(row.units, sold),
    bought_token: presentToken(viewpoint, bought),
    bought_amount: isConfirmed && row.received_units !== null ? human(row.received_units, bought) : null,
    min_bought_amount: human(BigInt(leg.minUnits), bought),
    status: isConfirmed ? 'completed' : hash === null ? 'pending' : 'initiated',
    transaction_hash: hash,
    timestamp: (row.sent_at ?? row.created_at).toISOString(),
  }
}

/** A payout as its recipient sees it: a purchase delivers the token that it buys. Until it has, the quoted amount is shown. */
export function delivered(row: PayoutRow, { quote }: Swap): PayoutRow {
  const { leg } = row
  if (row.kind !== 'output' || !leg) return row
  const received = row.state === 'confirmed' ? row.received_units : null
  return { ...row, token: leg.buys, units: received ?? quote?.receiveUnits ?? BigInt(leg.minUnits) }
}
