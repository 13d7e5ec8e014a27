/**
 * The operator during a run, on a connection without faults: pauses and resumes, answers approvals, and silently
 * refills wallets. Actions are recorded with their time, for the checks.
 */
import { type Token, TreasuryShort, tokenKey } from '@causeway/core'
import { findApp } from '../../../server/src/store/apps/apps.ts'
import { listSwitches } from '../../../server/src/store/limits/safeguards.ts'
import { listHeld } from '../../../server/src/store/payouts/holds.ts'
import { keyOf, type Pause, tokensOf, type World } from '../world/world.ts'
import { command } from './admin-commands.ts'
import { attend } from './operator-bot.ts'

/** The approval threshold in whole dollars. */
export const APPROVAL_ABOVE = 2_000n
/** More than are ever held at once here. */
const ALL = 10_000

export async function setRules(world: World): Promise<void> {
  await command(world, 'app', 'create', 'shop')
  world.appId = (await findApp(world.desk.database, 'shop'))?.id ?? null
  await command(world, 'limit', 'set', '--kind', 'approval_above', '--scope', 'service', '--usd', `${APPROVAL_ABOVE}`)
}

/** A step that started earlier follows the earlier rules: the operator acts only between steps. */
function isCalm({ processes }: World): boolean {
  return processes.every(({ paused }) => paused === null)
}

export async function pauseSome(world: World): Promise<void> {
  if (!isCalm(world)) return
  const { random, base } = world
  const token = random.pick(tokensOf(base))
  const scope = random.pick([`network:${token.network}`, `token:${token.network}/${tokenKey(token)}`, 'service'])
  if (world.pauses.some((pause) => pause.scope === scope && isOpen(pause))) return
  // While everything is paused for a review, the operator does not change that pause.
  if (scope === 'service' && (world.restoring !== null || (await isPausedByItself(world)))) return
  const what = scope !== 'service' && random.chance(0.3) ? 'both' : 'payouts'
  await command(world, 'switch', 'pause', '--scope', scope, '--what', what, '--reason', 'a look')
  world.pauses.push({ scope, fromMs: world.elapsedMs, toMs: Number.POSITIVE_INFINITY })
}

export async function resumeOne(world: World): Promise<void> {
  const pause = world.pauses.find((one) => isOpen(one) && !(one.scope === 'service' && world.restoring !== null))
  if (!pause) return
  await command(world, 'switch', 'resume', '--scope', pause.scope)
  pause.toMs = world.elapsedMs
}

function isOpen({ toMs }: Pause): boolean {
  return toMs === Number.POSITIVE_INFINITY
}

async function isPausedByItself({ desk }: World): Promise<boolean> {
  return (await listSwitches(desk.database)).some(({ scope }) => scope === 'service')
}

/** Approves a payout, or rejects an output, whose deposit is then refunded. */
export async function answerOne(world: World): Promise<void> {
  if (!isCalm(world)) return
  await attend(world)
  if (world.random.chance(0.15)) return rejectOne(world)
  const waiting = await waitingForAnswer(world)
  if (waiting.length > 0) await answer(world, world.random.pick(waiting), world.random.chance(0.7))
}

/** Notes how a payout is held now, to answer it later. */
export async function noteHold(world: World): Promise<void> {
  const held = (await listHeld(world.desk.database, ALL)).flatMap(({ id, hold }) => (hold ? [{ id, hold }] : []))
  if (held.length === 0) return
  const { id, hold } = world.random.pick(held)
  world.shownHolds.push({ payout: id, hold: hold.id })
}

/** Answers what was shown then. It may be held for another reason now, or not at all. */
export async function answerLate(world: World): Promise<void> {
  const { random, shownHolds } = world
  if (shownHolds.length === 0 || !isCalm(world)) return
  const [shown] = shownHolds.splice(random.between(0, shownHolds.length - 1), 1)
  const verb = random.chance(0.8) ? 'approve' : 'reject'
  if (shown) await command(world, 'payout', verb, '--id', shown.payout, '--hold', shown.hold)
}

/** At the end everything is resumed, and every approval is answered. */
export async function tidyUp(world: World): Promise<void> {
  for (const pause of world.pauses) if (isOpen(pause)) await resumeOne(world)
  for (const payout of await waitingForAnswer(world)) await answer(world, payout, true)
  await attend(world)
}

/**
 * Money received for an undeliverable output was used for others meanwhile: the operator refills the wallet for its
 * refund.
 */
export async function fillForRefunds(world: World): Promise<void> {
  const short = await world.query<{ network: string; token: string; units: string }>(
    `select network, token, sum(units) as units from payout where state = 'open' and kind <> 'sweep' and (network, token) in (
       select payout.network, payout.token from payout join hold on hold.payout_id = payout.id and hold.closed_at is null
       where payout.state = 'open' and payout.kind = 'refund' and hold.code = 'trouble' and hold.params->>'error' = $1)
     group by network, token order by network, token`,
    [new TreasuryShort().name],
  )
  // Enough for everything that is open, whatever the wallet holds already.
  for (const { network, token, units } of short)
    giveQuietly(world, world.base.catalogue.token(network, token), BigInt(units))
}

/** Coins arrive in a way that no scan shows. */
export function giveUnannounced(world: World): void {
  const token = world.random.pick(tokensOf(world.base))
  giveQuietly(world, token, BigInt(world.random.between(1, 10 ** 9)))
}

function giveQuietly({ base, chains, gifts, story }: World, token: Token, units: bigint): void {
  chains.get(token.network)?.mint(base.chains.get(token.network)?.treasury ?? '', token.contract, units)
  gifts.set(keyOf(token), (gifts.get(keyOf(token)) ?? 0n) + units)
  story.tell('operator', `puts ${units} ${token.symbol} into the treasury on ${token.network}, unannounced`)
}

/** Rejects an output that is not started and is not held by a rule. */
async function rejectOne(world: World): Promise<void> {
  const waiting = await world.query<{ id: string; hold: string | null }>(
    `select payout.id, hold.id as hold from payout
     left join hold on hold.payout_id = payout.id and hold.closed_at is null
     where kind = 'output' and state = 'open' and not started and rejected_at is null
     and held_by is distinct from 'rule' order by number, swap_id`,
  )
  if (waiting.length === 0) return
  const { id, hold } = world.random.pick(waiting)
  await command(world, 'payout', 'reject', '--id', id, ...(hold === null ? [] : ['--hold', hold]))
}

async function waitingForAnswer({ desk }: World) {
  const held = await listHeld(desk.database, ALL)
  return held.filter(({ hold, rejected_at }) => hold?.hold.code === 'approval_needed' && rejected_at === null)
}

async function answer(
  world: World,
  { id, kind, hold }: Awaited<ReturnType<typeof waitingForAnswer>>[number],
  isYes: boolean,
): Promise<void> {
  const verb = isYes || kind !== 'output' ? 'approve' : 'reject'
  await command(world, 'payout', verb, '--id', id, '--hold', hold?.id ?? '')
}
