/**
 * The only writer of swap state: locks the swap, lets `advance` decide, and stores state, history, postings, payouts
 * and their jobs in one transaction. Every event of a swap comes through here.
 */
import {
  advance,
  Bug,
  type Context,
  exposureWindowMs,
  fitsExposure,
  isClosed,
  mulDiv,
  oldPricesCountFrom,
  type Pricing,
  roundToDisplay,
  type Step,
  type Swap,
  type SwapEvent,
  TOP_UP_MS,
} from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import { capped, exposureLimit } from '../../market/safeguards.ts'
import { settlementPlan } from '../../providers/plans.ts'
import type { Services } from '../../services.ts'
import { isQueryError, type Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { lockOldPrices, oldPricesSince, recordOldPrice } from '../../store/limits/old-prices.ts'
import { lockInventory, reservedSince } from '../../store/payouts/liquidity-reservations.ts'
import { saveStep } from '../../store/swaps/save-step.ts'
import { lockSwap, toSwap } from '../../store/swaps/swaps.ts'
import { accrueReward } from '../kinds/reward.ts'
import { enqueueWebhooks } from '../webhooks/notify.ts'

/** Applies one event in its own transaction. */
export async function applyEvent(services: Services, swapId: string, event: SwapEvent): Promise<void> {
  await services.database.transaction().execute((queries) => applyWithin(services, queries, swapId, event))
}

/** Like `applyEvent`, inside the caller's transaction. */
export async function applyWithin(
  services: Services,
  queries: Queries,
  swapId: string,
  event: SwapEvent,
): Promise<void> {
  const record = await lockSwap(queries, swapId)
  if (!record) throw new Bug('an event for a swap that does not exist', { swapId, event: event.type })
  // Whatever happens to it now was not expected when it was archived: a person has to look.
  if (record.row.archived_at) throw new Bug('an event for an archived swap', { swapId, event: event.type })
  const before = toSwap(record, services.catalogue)
  const now = services.now()
  const context = await contextFor(services, queries, before, event, now, record.row.recipient_effort)
  const step = await withinExposure(services, queries, before, record.row.created_at, event, context)
  if (isUnchanged(before, step.swap) && step.postings.length === 0) {
    report(services, before, step.swap, event, step.alerts)
    trace(services, record.row.created_at, before, event)
    return
  }
  const accountOf = (network: string) => chainOf(services.chains, network).treasury
  const ordered = await saveStep(queries, record, before, step, event, accountOf, now)
  if (step.oldPrice) await recordOldPrice(queries, swapId, step.oldPrice, now)
  for (const payout of ordered) {
    await addJob(queries, {
      task: 'pay',
      payload: { payoutId: payout.id },
      lane: laneOf(payout.network, payout.account),
    })
  }
  await accrueReward(services, queries, record.row, step.swap)
  await tellApp(services, queries, record.row.app_id, before, step.swap)
  report(services, before, step.swap, event, step.alerts)
  trace(services, record.row.created_at, before, event)
}

/** A webhook event that cannot be stored must not delay payments. */
async function tellApp(
  services: Services,
  queries: Queries,
  appId: string | null,
  before: Swap,
  swap: Swap,
): Promise<void> {
  try {
    await enqueueWebhooks(services, queries, appId, before.status, swap)
  } catch (error) {
    if (isQueryError(error)) throw error
    services.metrics.alerts.inc()
    services.log.error({ swapId: swap.id, status: swap.status, err: error }, 'failed to store webhook events')
  }
}

/** Only events that may order a payout need prices and the current reservations. */
async function contextFor(
  services: Services,
  queries: Queries,
  swap: Swap,
  event: SwapEvent,
  now: Date,
  effort: bigint,
): Promise<Context> {
  const { market, catalogue } = services
  const topUpMs = catalogue.networks.find(({ name }) => name === swap.source.network)?.topUpMs ?? TOP_UP_MS
  const rules = { topUpMs, quoteDeviationBps: 0n }
  if (event.type === 'deposit_seen' || event.type === 'deposit_gone' || event.type === 'payout_confirmed') {
    return { now, pricing: null, refundFeeUnits: null, dustUnits: 0n, ...rules }
  }
  const { source, destination, usesDepositAddress, usesGasless } = swap
  const sale = swap.quote?.legs?.sale
  const plan = settlementPlan(market.plans(source, destination), swap)
  const paid = plan?.purchase?.hub ?? destination
  await lockInventory(queries, paid)
  const balance = market.balance(paid)
  const promised = balance ? await reservedSince(queries, paid, balance.at) : 0n
  const free = balance && balance.units > promised ? balance.units - promised : 0n
  const route = { source, destination, usesDepositAddress, usesGasless, refuel: swap.refuel !== null, effort }
  const pricing = balance && plan && market.pricing({ ...route, plan }, free)
  return {
    now,
    pricing: pricing && capped(services.safeguards.current(), pricing),
    refundFeeUnits: market.sendingFee(source) ?? feeByQuote(services, swap),
    proceedsFeeUnits: sale ? market.sendingFee(sale.buys) : null,
    sellingWallet: chainOf(services.chains, source.network).treasury,
    dustUnits: market.dust(source),
    topUpMs,
    quoteDeviationBps: pricing ? deviationFor(services, pricing) : 0n,
  }
}

/**
 * The cost of sending a pool token back if its pool has no price now, such as an emptied one: by the price at which the
 * swap was to sell it. Null without a sale in the quote.
 */
function feeByQuote({ market }: Services, { source, quote, originalQuote }: Swap): bigint | null {
  const sale = (originalQuote ?? quote)?.legs?.sale
  const hubFee = sale ? market.sendingFee(sale.buys) : null
  if (!sale || hubFee === null || sale.outUnits === 0n) return null
  return roundToDisplay(mulDiv(hubFee, sale.inUnits, sale.outUnits, 'up'), source, 'up')
}

/** The default deviation, in service fees: an old price costs at most what a few swaps earn. */
const DEVIATION_FEES = 3n

/** How much worse than the current price a quote may be and still be paid, within the exposure limit. */
export function deviationFor({ config }: Services, { serviceFeeBps }: Pricing): bigint {
  const { quoteDeviationBps } = config
  return quoteDeviationBps === undefined ? DEVIATION_FEES * serviceFeeBps : BigInt(quoteDeviationBps)
}

/**
 * The step, with the current price if an old one is above the exposure limit: otherwise many swaps that were made ahead
 * of a price move would all be paid at the old price. Settlements at old prices of the same assets follow one another.
 */
async function withinExposure(
  services: Services,
  queries: Queries,
  before: Swap,
  quotedAt: Date,
  event: SwapEvent,
  context: Context,
): Promise<Step> {
  const { config, catalogue, log } = services
  const step = advance(before, event, context)
  const { oldPrice } = step
  if (!oldPrice || !context.pricing) return step
  const rules = { dollars: config.dollarGroups, termMs: config.quoteTtlMs ?? null }
  const since = oldPricesCountFrom(quotedAt, exposureWindowMs(catalogue.networks, rules))
  await lockOldPrices(queries, oldPrice)
  const paid = await oldPricesSince(queries, oldPrice, since, before.id)
  if (fitsExposure(oldPrice, paid, exposureLimit(config))) return step
  log.info({ swapId: before.id, ...oldPrice }, 'exposure limit reached: the quote is not used')
  return advance(before, event, { ...context, quoteDeviationBps: context.pricing.serviceFeeBps })
}

function isUnchanged(before: Swap, after: Swap): boolean {
  const text = (swap: Swap) => JSON.stringify(swap, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return text(before) === text(after)
}

function trace({ traces, now }: Services, createdAt: Date, { id, source, deposits }: Swap, event: SwapEvent): void {
  const span = { to: now(), attributes: { 'chain.network': source.network } }
  if (event.type === 'deposit_seen') traces.add(id, { ...span, name: 'deposit seen', from: createdAt })
  if (event.type !== 'deposit_confirmed') return
  const seen = deposits.find((deposit) => deposit.id === event.depositId)
  traces.add(id, { ...span, name: 'deposit credited', from: seen?.seenAt ?? createdAt })
}

function report(services: Services, before: Swap, after: Swap, event: SwapEvent, alerts: string[]): void {
  const { log, metrics } = services
  const fields = { swapId: after.id, event: event.type, from: before.status, status: after.status }
  if (before.status !== after.status) {
    metrics.transitions.inc({ status: after.status })
    log.info({ ...fields, failReason: after.failReason, closed: isClosed(after.status) }, 'swap moved')
  }
  for (const alert of alerts) {
    metrics.alerts.inc()
    log.error(fields, alert)
  }
}
