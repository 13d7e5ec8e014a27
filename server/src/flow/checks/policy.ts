/**
 * The last look before money leaves: a halted wallet, a switch, a screened address, a limit, an approval that is missing,
 * a deposit whose block was replaced or that is lost, a swap that was undone since it earned a reward.
 * Asked of the database, not of memory, each time a payout is about to get its slot. What is held stays held until the
 * reason is gone or a person answers; nothing here ever gives a payout up by itself.
 */
import { type Token, toUsd, type Usd } from '@causeway/core'
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
import type { Scope } from '../../store/db/schema.ts'
import { readSources, type Source } from '../../store/deposits/payout-sources.ts'
import { listHalts } from '../../store/limits/safeguards.ts'
import { type Origin, readOrigins } from '../../store/payouts/payouts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import type { SlotRow } from '../../store/payouts/slots.ts'
import { undoneEarners } from '../../store/rewards/rewards.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isCall } from '../kinds/relay.ts'

/** Not now, for a reason that time alone may not mend. */
export class Held extends Error {
  override name = 'Held'
  /** Whether a person has to do something. */
  readonly needsPerson: boolean
  /** Time mends it; but it is the wall that a fault or a thief meets first: a person must hear of it, once. */
  readonly isWall: boolean
  constructor(reason: string, needsPerson: boolean, isWall = false) {
    super(reason)
    this.needsPerson = needsPerson
    this.isWall = isWall
  }
}

/** A halted wallet signs nothing, whenever the slot was handed out: asked right before every signature. */
export async function refuseHalted({ database }: Services, { network, account }: SlotRow): Promise<void> {
  const halts = await listHalts(database)
  const halt = halts.find((one) => one.network === network && one.account === account)
  if (halt) throw new Held(`the wallet is halted: ${halt.reason}`, true)
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
    const halt = halts.find(({ network, account }) => network === payout.network && account === payout.account)
    if (halt) refusals.set(payout.id, new Held(`the wallet is halted: ${halt.reason}`, true))
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
  const [sources, unearned] = await Promise.all([readSources(database, passing), undoneEarners(database, passing)])
  const screened = await Promise.all(passing.map((payout) => screen(services, payout, sources.get(payout.id))))
  for (const [position, payout] of passing.entries()) {
    try {
      checkSource(payout, sources.get(payout.id))
      if (unearned.has(payout.id)) throw new Held('a swap that it rewards is not completed any more', false)
      // Told before a missing approval, so that whoever approves knows of it.
      if (screened[position]) throw screened[position]
      checkApproval(services, rules, payout, origins.get(payout.id))
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
  if (paused !== null) throw new Held(`payouts are paused: ${paused}`, false)
  const left = outflowLeft(rules, token)
  if (left === null) return 0n
  const usd = worth(services, token, payout)
  if (usd > left) throw new Held('the outflow limit is reached', false, true)
  return usd
}

function checkApproval(services: Services, rules: Rules, payout: PayoutRow, origin: Origin | undefined): void {
  if (payout.approved_at) return
  const token = services.catalogue.token(payout.network, payout.token)
  const above = limitOn(rules, 'approval_above', token, scopeOf(services, payout, origin))
  if (above !== null && worth(services, token, payout) > above) throw new Held('it waits for an approval', true)
}

/**
 * A deposit whose block was replaced may not be there any more: nothing is paid for it until it is read again, or a person
 * answers. One that is lost is not there: what was begun for it and is not on its way is a loss only if it is paid.
 */
function checkSource(payout: PayoutRow, source: Source | undefined): void {
  // One that may still be read again by itself comes first: nobody is asked about the others before.
  for (const { txHash } of source?.shaken.filter(({ isTold }) => !isTold) ?? [])
    throw new Held(`the block of its deposit ${txHash} was replaced, and it is looked up again`, false)
  // Each by itself: whoever has answered for one has not answered for another.
  const [lost] = unanswered(payout, source)
  if (lost !== undefined) throw new Held(lost, true)
  for (const { txHash } of source?.shaken ?? []) {
    const reason = `no node says where its deposit ${txHash} stands since its block was replaced`
    if (!payout.approved_reasons.includes(reason)) throw new Held(reason, true)
  }
}

/** What speaks against paying for deposits that are lost, as far as nobody has said to pay all the same. */
function unanswered({ approved_reasons }: PayoutRow, source: Source | undefined): string[] {
  const reasons = source?.lost.map((txHash) => `its deposit ${txHash} has vanished from the chain`) ?? []
  return reasons.filter((reason) => !approved_reasons.includes(reason))
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
  return leaving.some((payout) => unanswered(payout, sources.get(payout.id)).length > 0)
}

/** What speaks against it; null where nothing does. Whom a person has let pass is not asked about again; anybody else is. */
async function screen({ screener }: Services, payout: PayoutRow, source: Source | undefined): Promise<unknown> {
  try {
    const suspects = [{ network: payout.network, address: payout.to_address }, ...(source?.senders ?? [])]
    // A screening service may spell an address in its own way.
    const approved = payout.approved_reasons.map((reason) => reason.toLowerCase())
    const isApproved = (address: string) =>
      approved.some((reason) => reason.startsWith(screenedBy(address).toLowerCase()))
    const hit = await screener.screen(suspects.filter(({ address }) => !isApproved(address)))
    return hit ? new Held(`${screenedBy(hit.address)}${hit.reason}`, true) : null
  } catch (error) {
    return error
  }
}

function screenedBy(address: string): string {
  return `${address} is screened: `
}

/** A token without a price could be worth anything. */
function worth({ market }: Services, token: Token, { units }: PayoutRow): bigint {
  const price = market.price(token)
  if (price === null) throw new Held(`there is no price for ${token.symbol}`, false)
  return toUsd(units, token, price, 'up')
}

/** The route of the swap, or the campaign of a reward: what may be paused or limited besides the token. */
function scopeOf({ catalogue }: Services, { campaign }: PayoutRow, origin: Origin | undefined): Scope | null {
  if (campaign !== null) return campaignScope(campaign)
  return origin ? routeScope(catalogue.token(...origin.source), catalogue.token(...origin.destination)) : null
}
