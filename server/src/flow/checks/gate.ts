/**
 * The gate: collects everything that may stop a payout before money leaves. `core/src/payout/gate.ts` decides which
 * objection stops which signature. This file reads the database, not memory: switches, limits, decisions and deposits
 * change at any time.
 */
import {
  type ChainAdapter,
  covers,
  type Found,
  isLeaving,
  isSameToken,
  mulDiv,
  type Objection,
  type ObjectionCode,
  objectionsTo,
  type PayoutFacts,
  PayoutImpossible,
  type Purpose,
  RetryLater,
  type Token,
  tenTo,
  toUsd,
  type Usd,
} from '@causeway/core'
import {
  budgetsLeft,
  budgetsOf,
  campaignScope,
  limitOn,
  pausedPayout,
  type Rules,
  readRules,
  routeScope,
} from '../../market/safeguards.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import type { Scope } from '../../store/db/schema.ts'
import { readSources, type Source } from '../../store/deposits/payout-sources.ts'
import { isWallet, listHalts } from '../../store/limits/halts.ts'
import { unlistedWithdrawals } from '../../store/limits/withdrawals.ts'
import { closeHolds, type OpenHold, readApproved } from '../../store/payouts/holds.ts'
import { excessProceeds } from '../../store/payouts/legs.ts'
import { type Origin, readOrigins, readVerdicts } from '../../store/payouts/payouts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { type SlotRow, setScreened } from '../../store/payouts/slots.ts'
import { beforeBarrier } from '../../store/restore/barrier.ts'
import { settledBefore } from '../../store/restore/recorded-payouts.ts'
import { undoneEarners } from '../../store/rewards/rewards.ts'
import { parseQuote } from '../../store/swaps/stored-quote.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { checkRelay, lapsedRelays } from '../kinds/relay.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'
import { requireKnownHistory } from './history.ts'
import { liquidityShortages } from './liquidity.ts'
import { readOutflowQueue } from './outflow-queue.ts'
import { overRecipientCap } from './recipient-cap.ts'
import { screeningHolds } from './screening.ts'

/** How long an answer of the screening service is used for the first signature in a slot. */
const SCREENED_MS = 10 * 60_000

export type Objections = Map<string, Objection[]>

/** A payout and the slot in which it is to be signed. */
export interface Asked {
  payout: PayoutRow
  slot: SlotRow | null
  /** Whether a node has accepted a transaction in that slot. */
  isAccepted: boolean
  /** When the payout was screened for this slot; null if it was not yet. */
  screenedAt: Date | null
}

export function withoutSlot(payout: PayoutRow): Asked {
  return { payout, slot: null, isAccepted: false, screenedAt: null }
}

export function inSlot({ slot, payouts, attempts }: SlotRecord): Asked[] {
  const isAccepted = attempts.some(({ sent_at }) => sent_at !== null)
  return payouts.map((payout) => ({ payout, slot, isAccepted, screenedAt: slot.screened_at }))
}

/**
 * All objections to a first signature, per payout. Besides the database it asks nodes and the screening service.
 * `isLast`: the payout is about to be given up, so the screening service is asked even if something else stops the
 * payout.
 */
export async function mayPay(
  services: Services,
  chain: ChainAdapter,
  asked: readonly Asked[],
  { isLast = false }: { isLast?: boolean } = {},
): Promise<Objections> {
  const payouts = asked.map(({ payout }) => payout)
  const found: Findings = new Map()
  await askHistory(services, chain, payouts, found)
  // Read after the nodes answered, so that a switch, a limit or a rejection set meanwhile counts.
  const facts = await readFacts(services, services.database, asked)
  const stopped = decide(facts, found, 'new')
  // The screening service may charge per answer, so it is asked last. An operator who approves the payout should know
  // its answer.
  const passing = asked.filter(
    ({ payout }) => isLast || (stopped.get(payout.id) ?? []).every(({ code }) => code === 'approval'),
  )
  // Relays are asked even if something else stops them, so that an expired one is found and ended.
  const relays = asked.filter((one) => one.payout.kind === 'relay' && !passing.includes(one))
  await Promise.all([...passing, ...relays].map((one) => askOthers(services, one, facts, found)))
  const screened = decide(facts, found, 'new')
  const free = passing.flatMap(({ payout, slot }) => (slot === null && !screened.has(payout.id) ? [payout] : []))
  const crowded = await overRecipientCap(services, chain, free)
  for (const [id, error] of crowded) add(found, id, 'recipient_cap', error)
  const paid = free.filter(({ id }) => !crowded.has(id))
  for (const [id, error] of await liquidityShortages(services, chain, paid)) add(found, id, 'liquidity', error)
  await lapseAnswers(services, facts, found, passing)
  return decide(facts, found, 'new')
}

/**
 * The objections that the database alone shows. Called before every signature, and under the locks of an allocation.
 */
export async function mayPayByRecord(
  services: Services,
  queries: Queries,
  asked: readonly Asked[],
  purpose: Purpose,
): Promise<Objections> {
  return decide(await readFacts(services, queries, asked), new Map(), purpose)
}

/** The payout's value now, at the last known price; null if there never was a price. */
export function lastWorth({ catalogue, market }: Services, { network, token, units }: PayoutRow): Usd | null {
  const listed = catalogue.token(network, token)
  const price = market.lastPrice(listed)
  return price === null ? null : toUsd(units, listed, price, 'up')
}

type Findings = Map<string, Found[]>

function add(found: Findings, id: string, code: ObjectionCode, error: unknown): void {
  if (!(error instanceof Error)) throw error
  const one: Found =
    error instanceof PayoutOnHold
      ? { code, hold: error.hold }
      : { code, hold: { code: 'trouble', error: error.name }, detail: error.message }
  found.set(id, [...(found.get(id) ?? []), one])
}

interface Facts {
  payouts: PayoutFacts[]
  rules: Rules
  sources: ReadonlyMap<string, Source>
  approved: ReadonlyMap<string, OpenHold[]>
}

function decide({ payouts, rules }: Facts, found: Findings, purpose: Purpose): Objections {
  const all = payouts.map((one) => ({ ...one, found: [...one.found, ...(found.get(one.id) ?? [])] }))
  return objectionsTo(all, budgetsLeft(rules), purpose)
}

const UNLIMITED = { symbol: '', deposits: [], worth: null, approvalAbove: null, budgets: [] }

async function readFacts(services: Services, queries: Queries, asked: readonly Asked[]): Promise<Facts> {
  const { catalogue, market, config } = services
  const payouts = asked.map(({ payout }) => payout)
  const leaving = payouts.filter(({ kind }) => isLeaving(kind))
  const [halts, rules, origins, sources, unearned, approved, verdicts, settled, relays, doubtful, unlisted, excess] =
    await Promise.all([
      listHalts(queries),
      readRules(queries, catalogue, services.now(), config),
      readOrigins(queries, leaving),
      readSources(queries, leaving),
      undoneEarners(queries, leaving),
      readApproved(queries, payouts),
      readVerdicts(queries, payouts),
      settledBefore(queries, payouts),
      lapsedRelays(services, queries, payouts),
      beforeBarrier(queries, leaving),
      unlistedWithdrawals(queries, leaving),
      excessProceeds(queries, leaving),
    ])
  // A payout with a slot has passed the limits.
  const worthOf = (one: PayoutRow) => lastWorth(services, one)
  const fresh = asked.flatMap(({ payout, slot }) => (slot === null ? [payout.network] : []))
  const queue = fresh.length > 0 ? await readOutflowQueue(services, queries, rules, worthOf, fresh) : null
  const facts = asked.map(({ payout, slot, isAccepted }): PayoutFacts => {
    const { id, kind, network, account, units } = payout
    const found: Found[] = []
    const halt = halts.find((one) => isWallet(one, network, account))
    const causes = [...new Set(halt?.causes.map(({ hold }) => hold.code))].toSorted()
    if (halt) found.push({ code: 'halt', hold: { code: 'wallet_halted', causes } })
    const { isRejected = false, reorged = null } = verdicts.get(id) ?? {}
    if (isRejected) found.push({ code: 'rejected', hold: { code: 'trouble', error: 'Rejected' } })
    // An address that was taken off the list gets no withdrawal any more.
    if (unlisted.has(id)) found.push({ code: 'rejected', hold: { code: 'trouble', error: 'Rejected' } })
    if (reorged) found.push({ code: 'reorged', hold: reorged })
    const settledBy = settled.get(id)
    if (settledBy) found.push({ code: 'restore', hold: { code: 'restore_doubt', settledBy } })
    else if (doubtful.has(id)) found.push({ code: 'restore', hold: { code: 'restore_doubt' } })
    const { stopped } = services.signing
    if (stopped !== null) found.push({ code: 'stopped', hold: { code: 'signing_stopped', state: stopped } })
    const lapsed = relays.get(id)
    if (lapsed) found.push({ code: 'relay', hold: { code: 'trouble', error: lapsed.name }, detail: lapsed.message })
    if (unearned.has(id)) found.push({ code: 'reward', hold: { code: 'reward_unearned' } })
    const brought = excess.get(id)
    if (brought) {
      const { network: on, token: bought, ...units } = brought
      const { symbol } = catalogue.token(on, bought)
      found.push({ code: 'proceeds', hold: { code: 'excess_proceeds', symbol, ...units } })
    }
    const answers = (approved.get(id) ?? []).map(({ hold }) => hold)
    const common = { id, kind, found, isAccepted, isReserved: slot !== null, approved: answers }
    // Switches, limits and prices do not apply to sweeps and calls.
    if (!isLeaving(kind)) return { ...common, ...UNLIMITED }
    const token = catalogue.token(network, payout.token)
    const scope = scopeOf(services, payout, origins.get(id))
    const paused = pausedPayout(rules, token, scope)
    if (paused) found.push({ code: 'switch', hold: { code: 'paused', scope: paused.scope, note: paused.reason } })
    // The price of a pool token ends with its pool, and then its deposits must be refunded.
    const price = market.price(token) ?? (token.poolOnly ? lastPoolPrice(services, token, origins.get(id)) : null)
    return {
      ...common,
      symbol: token.symbol,
      deposits: sources.get(id)?.inDoubt ?? [],
      worth: slot === null || payout.usd === null ? price && toUsd(units, token, price, 'up') : payout.usd,
      approvalAbove: limitOn(rules, 'approval_above', token, scope),
      budgets: budgetsOf(token, kind),
      ...(queue && slot === null && { ahead: queue(payout) }),
    }
  })
  return { payouts: facts, rules, sources, approved }
}

/** The last price of a pool token; if this process never read its pool, the one at which its swap was to sell it. */
function lastPoolPrice({ market, catalogue }: Services, token: Token, origin: Origin | undefined): Usd | null {
  const last = market.lastPrice(token)
  const sale = parseQuote(origin?.quote ?? null, catalogue)?.legs?.sale
  const hubPrice = sale ? market.price(sale.buys) : null
  if (last !== null || !sale || hubPrice === null || sale.inUnits === 0n || !isSameToken(sale.sells, token)) return last
  return toUsd(mulDiv(sale.outUnits, tenTo(token.decimals), sale.inUnits, 'up'), sale.buys, hubPrice, 'up')
}

/** The route of the swap, or the campaign of a reward: both can be paused or limited, like the token. */
function scopeOf({ catalogue }: Services, { campaign }: PayoutRow, origin: Origin | undefined): Scope | null {
  if (campaign !== null) return campaignScope(campaign)
  return origin ? routeScope(catalogue.token(...origin.source), catalogue.token(...origin.destination)) : null
}

/** Asks for the outgoing transactions of the wallet that pays all these payouts. */
async function askHistory(
  services: Services,
  chain: ChainAdapter,
  payouts: readonly PayoutRow[],
  found: Findings,
): Promise<void> {
  try {
    await requireKnownHistory(services, chain)
  } catch (error) {
    for (const { id } of payouts) add(found, id, error instanceof PayoutOnHold ? 'history' : 'unlooked', error)
  }
}

async function askOthers(
  services: Services,
  { payout, slot, screenedAt }: Asked,
  facts: Facts,
  found: Findings,
): Promise<void> {
  const now = services.now()
  try {
    await checkRelay(services, payout)
  } catch (error) {
    if (!(error instanceof RetryLater || error instanceof PayoutImpossible)) throw error
    add(found, payout.id, error instanceof PayoutImpossible ? 'relay' : 'relay_busy', error)
  }
  if (!isLeaving(payout.kind) || !isStale(screenedAt, now)) return
  try {
    const holds = await screeningHolds(services, payout, facts.sources.get(payout.id))
    for (const hold of holds) found.set(payout.id, [...(found.get(payout.id) ?? []), { code: 'screening', hold }])
    if (slot) await setScreened(services.database, slot.id, now)
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'the screening service does not answer'
    const hold = { code: 'trouble', error: 'ScreeningUnanswered' } as const
    found.set(payout.id, [...(found.get(payout.id) ?? []), { code: 'unscreened', hold, detail }])
  }
}

function isStale(screenedAt: Date | null, now: Date): boolean {
  return screenedAt === null || now.getTime() - screenedAt.getTime() > SCREENED_MS
}

/** An approval is valid while its objection lasts. If the objection ends and returns, it must be approved again. */
async function lapseAnswers(services: Services, facts: Facts, found: Findings, asked: readonly Asked[]): Promise<void> {
  const now = services.now()
  const lapsed = asked.flatMap(({ payout: { id }, screenedAt }) => {
    const answers = facts.approved.get(id) ?? []
    if (answers.length === 0) return []
    const unanswered = facts.payouts.filter((one) => one.id === id).map((one) => ({ ...one, approved: [] }))
    const raised = decide({ ...facts, payouts: unanswered }, found, 'new').get(id) ?? []
    const isUnknown = raised.some(({ code }) => code === 'unscreened') || !isStale(screenedAt, now)
    return answers.filter(
      ({ hold }) => !(hold.code === 'screened' && isUnknown) && !raised.some((one) => covers(hold, one.hold)),
    )
  })
  await closeHolds(
    services.database,
    lapsed.map(({ id }) => id),
    now,
  )
}
