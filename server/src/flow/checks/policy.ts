/**
 * The policy checks before money leaves: a halted wallet, a switch, a screened address, a limit, a missing approval, a deposit
 * whose block was replaced or that is lost, a swap that was reverted since it earned a reward.
 * They read the database, not memory, each time a payout is about to get its slot. A payout stays on hold until the objection
 * is gone or a person answers; nothing here gives a payout up.
 */
import { describeHold, isSameHold, type PayoutHold, type Token, toUsd, type Usd } from '@causeway/core'
import {
  campaignScope,
  limitOn,
  outflowLeft,
  pausedPayout,
  type Rules,
  readRules,
  routeScope,
  withOutflow,
} from '../../market/safeguards.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import type { Scope } from '../../store/db/schema.ts'
import { readSources, type Source } from '../../store/deposits/payout-sources.ts'
import { type Halt, isWallet, listHalts, readHalt } from '../../store/limits/halts.ts'
import { readApproved } from '../../store/payouts/holds.ts'
import { type Origin, readOrigins } from '../../store/payouts/payouts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import type { SlotRow } from '../../store/payouts/slots.ts'
import { undoneEarners } from '../../store/rewards/rewards.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isCall } from '../kinds/relay.ts'

/** It must not be paid now, for a reason that a retry does not change. What may lift it: `holdClass` of the hold. */
export class PayoutOnHold extends Error {
  override name = 'PayoutOnHold'
  readonly hold: PayoutHold
  constructor(hold: PayoutHold) {
    super(describeHold(hold))
    this.hold = hold
  }
}

/** A halted wallet signs nothing, whenever the slot was handed out: asked right before every signature. */
export async function refuseHalted({ database }: Services, { network, account }: SlotRow): Promise<void> {
  const halt = await readHalt(database, { network, account })
  if (halt) throw haltedBy(halt)
}

function haltedBy({ causes }: Halt): PayoutOnHold {
  const codes = [...new Set(causes.map(({ hold }) => hold.code))].toSorted()
  return new PayoutOnHold({ code: 'wallet_halted', causes: codes })
}

/** Why some of these payouts must not be made now, by their ids. What goes out by the first counts for the next. */
export async function checkPayouts(services: Services, payouts: readonly PayoutRow[]): Promise<Map<string, unknown>> {
  const { database, catalogue, market } = services
  // A sweep brings our own coins home, a call moves none of them: nothing leaves.
  const leavable = payouts.filter((payout) => payout.kind !== 'sweep' && !isCall(payout))
  const [halts, origins, read] = await Promise.all([
    listHalts(database),
    readOrigins(database, leavable),
    leavable.length > 0 ? readRules(database, catalogue, market, services.now(), services.config) : null,
  ])
  const refusals = new Map<string, unknown>()
  for (const payout of payouts) {
    const halt = halts.find((one) => isWallet(one, payout.network, payout.account))
    if (halt) refusals.set(payout.id, haltedBy(halt))
  }
  const leaving = leavable.filter(({ id }) => !refusals.has(id))
  if (leaving.length === 0 || read === null) return refusals
  let rules: Rules = read
  const passing = leaving.filter((payout) => {
    try {
      checkRules(services, rules, payout, origins.get(payout.id))
      return true
    } catch (error) {
      refusals.set(payout.id, error)
      return false
    }
  })
  // Of those that no switch and no limit holds: whoever is asked may charge for it, and what is held is looked at often.
  const [sources, unearned, answers] = await Promise.all([
    readSources(database, passing),
    undoneEarners(database, passing),
    approvedOf(database, passing),
  ])
  const approvedBy = ({ id }: PayoutRow) => answers.get(id) ?? []
  const screened = await Promise.all(
    passing.map((payout) => screen(services, payout, sources.get(payout.id), approvedBy(payout))),
  )
  for (const [position, payout] of passing.entries()) {
    try {
      checkSource(sources.get(payout.id), approvedBy(payout))
      if (unearned.has(payout.id)) throw new PayoutOnHold({ code: 'reward_unearned' })
      // Told before a missing approval, so that whoever approves knows of it.
      if (screened[position]) throw screened[position]
      checkApproval(services, rules, payout, origins.get(payout.id), approvedBy(payout))
      const usd = checkRules(services, rules, payout, origins.get(payout.id))
      rules = withOutflow(rules, catalogue.token(payout.network, payout.token), usd)
    } catch (error) {
      refusals.set(payout.id, error)
    }
  }
  return refusals
}

/** Switches and outflow. Answers its worth, where that is of interest. */
function checkRules(services: Services, rules: Rules, payout: PayoutRow, origin: Origin | undefined): Usd {
  const token = services.catalogue.token(payout.network, payout.token)
  const paused = pausedPayout(rules, token, scopeOf(services, payout, origin))
  if (paused) throw new PayoutOnHold({ code: 'paused', scope: paused.scope, note: paused.reason })
  const left = outflowLeft(rules, token)
  if (left === null) return 0n
  const usd = worth(services, token, payout)
  if (usd > left) throw new PayoutOnHold({ code: 'outflow_limit' })
  return usd
}

function checkApproval(
  services: Services,
  rules: Rules,
  payout: PayoutRow,
  origin: Origin | undefined,
  approved: readonly PayoutHold[],
): void {
  if (isApproved(approved, NEEDS_APPROVAL)) return
  const token = services.catalogue.token(payout.network, payout.token)
  const above = limitOn(rules, 'approval_above', token, scopeOf(services, payout, origin))
  if (above !== null && worth(services, token, payout) > above) throw new PayoutOnHold(NEEDS_APPROVAL)
}

const NEEDS_APPROVAL: PayoutHold = { code: 'approval_needed' }

async function approvedOf(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, PayoutHold[]>> {
  return readApproved(
    queries,
    payouts.map(({ id }) => id),
  )
}

/** An answer removes exactly the objection that was shown. */
function isApproved(approved: readonly PayoutHold[], hold: PayoutHold): boolean {
  return approved.some((one) => isSameHold(one, hold))
}

/**
 * A deposit whose block was replaced may be gone: nothing is paid for it until it is read again, or a person answers. One that
 * is lost is gone: a payout that was begun for it and is not sent becomes a loss only if it is paid.
 */
function checkSource(source: Source | undefined, approved: readonly PayoutHold[]): void {
  // One that may still be read again comes first: no person is asked about the others before.
  for (const { txHash } of source?.shaken.filter(({ isTold }) => !isTold) ?? [])
    throw new PayoutOnHold({ code: 'deposit_reverifying', txHash })
  // Each deposit is a hold of its own: an answer about one says nothing about another.
  const [lost] = unanswered(source, approved)
  if (lost !== undefined) throw new PayoutOnHold(lost)
  for (const { txHash } of source?.shaken ?? []) {
    const hold: PayoutHold = { code: 'deposit_unlocatable', txHash }
    if (!isApproved(approved, hold)) throw new PayoutOnHold(hold)
  }
}

/** The objections for lost deposits that no person has approved. */
function unanswered(source: Source | undefined, approved: readonly PayoutHold[]): PayoutHold[] {
  const lost = source?.lost.map((txHash): PayoutHold => ({ code: 'deposit_lost', txHash })) ?? []
  return lost.filter((hold) => !isApproved(approved, hold))
}

/**
 * No node is known to have taken anything of it, and a deposit that it pays for was lost meanwhile, without a person's word: its
 * bytes stay where they are, and the slot is used up. What a node has taken may land whatever is done, and is a loss already:
 * that is brought to its end.
 */
export async function isLostUnsent(
  { database }: Pick<Services, 'database'>,
  { attempts, payouts }: SlotRecord,
): Promise<boolean> {
  if (attempts.some(({ sent_at }) => sent_at !== null)) return false
  const leaving = payouts.filter((payout) => payout.kind !== 'sweep' && !isCall(payout))
  const sources = await readSources(database, leaving)
  const suspects = leaving.filter(({ id }) => (sources.get(id)?.lost.length ?? 0) > 0)
  const answers = await approvedOf(database, suspects)
  return suspects.some(({ id }) => unanswered(sources.get(id), answers.get(id) ?? []).length > 0)
}

/** The objection; null if there is none. An address that a person approved is not screened again, any other is. */
async function screen(
  { screener }: Services,
  payout: PayoutRow,
  source: Source | undefined,
  approved: readonly PayoutHold[],
): Promise<unknown> {
  try {
    const suspects = [{ network: payout.network, address: payout.to_address }, ...(source?.senders ?? [])]
    // A screening service may spell an address in its own way.
    const passed = new Set(approved.flatMap((hold) => (hold.code === 'screened' ? hold.address.toLowerCase() : [])))
    const hit = await screener.screen(suspects.filter(({ address }) => !passed.has(address.toLowerCase())))
    return hit ? new PayoutOnHold({ code: 'screened', address: hit.address, listing: hit.reason }) : null
  } catch (error) {
    return error
  }
}

/** A token without a price could be worth anything. */
function worth({ market }: Services, token: Token, { units }: PayoutRow): bigint {
  const price = market.price(token)
  if (price === null) throw new PayoutOnHold({ code: 'no_price', symbol: token.symbol })
  return toUsd(units, token, price, 'up')
}

/** The route of the swap, or the campaign of a reward: what may be paused or limited besides the token. */
function scopeOf({ catalogue }: Services, { campaign }: PayoutRow, origin: Origin | undefined): Scope | null {
  if (campaign !== null) return campaignScope(campaign)
  return origin ? routeScope(catalogue.token(...origin.source), catalogue.token(...origin.destination)) : null
}
