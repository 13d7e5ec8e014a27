/**
 * What the operator does meanwhile, from a desk of its own that no fault reaches: pauses and resumes, answers payouts that
 * wait for an approval, and puts coins into a wallet without a word. What was done when is remembered, for the checks.
 */
import { tokenKey } from '@causeway/core'
import { addJob, laneOf } from '../../server/src/store/jobs.ts'
import { approvePayout, listHeld, rejectPayout } from '../../server/src/store/payouts.ts'
import { clearSwitch, setLimit, setSwitch } from '../../server/src/store/safeguards.ts'
import { chainIn, keyOf, nowIn, tokensOf, type World } from './world.ts'

/** Whole dollars above which a payout waits for an answer. */
export const APPROVAL_ABOVE = 2_000n
const WAITS = 'it waits for an approval'
/** More than are ever held at once here. */
const ALL = 10_000

export async function setRules({ base }: World): Promise<void> {
  await setLimit(base.database, 'approval_above', 'service', APPROVAL_ABOVE * 10n ** 18n)
}

/** A step that was begun before goes by the rules of before: the desk acts while nobody is in the middle of one. */
function isCalm({ processes }: World): boolean {
  return processes.every(({ paused }) => paused === null)
}

export async function pauseSome(world: World): Promise<void> {
  if (!isCalm(world)) return
  const { random, base, story } = world
  const token = random.pick(tokensOf(base))
  const scope = random.pick([`network:${token.network}`, `token:${token.network}/${tokenKey(token)}`, 'service'])
  if (world.pauses.some((pause) => pause.scope === scope && pause.toMs === Number.POSITIVE_INFINITY)) return
  await setSwitch(base.database, { scope, stops_swaps: random.chance(0.3), stops_payouts: true, reason: 'a look' })
  world.pauses.push({ scope, fromMs: world.elapsedMs, toMs: Number.POSITIVE_INFINITY })
  story.tell('operator', `pauses ${scope}`)
}

export async function resumeOne(world: World): Promise<void> {
  const pause = world.pauses.find(({ toMs }) => toMs === Number.POSITIVE_INFINITY)
  if (!pause) return
  await clearSwitch(world.base.database, pause.scope)
  pause.toMs = world.elapsedMs
  world.story.tell('operator', `resumes ${pause.scope}`)
}

/** Says yes to one payout, or no to an output: then its money goes back. */
export async function answerOne(world: World): Promise<void> {
  const waiting = (await waitingForAnswer(world)).filter(() => isCalm(world))
  if (waiting.length > 0) await answer(world, world.random.pick(waiting), world.random.chance(0.7))
}

/** At the end everything is resumed, and everybody who waits for an answer gets a yes. */
export async function tidyUp(world: World): Promise<void> {
  while (world.pauses.some(({ toMs }) => toMs === Number.POSITIVE_INFINITY)) await resumeOne(world)
  for (const payout of await waitingForAnswer(world)) await answer(world, payout, true)
}

/** Coins come by a way that no scan shows. */
export function giveUnannounced(world: World): void {
  const { random, base, story, gifts } = world
  const token = random.pick(tokensOf(base))
  const units = BigInt(random.between(1, 10 ** 9))
  chainIn(world, token.network).mint(base.chains.get(token.network)?.treasury ?? '', token.contract, units)
  gifts.set(keyOf(token), (gifts.get(keyOf(token)) ?? 0n) + units)
  story.tell('operator', `puts ${units} ${token.symbol} into the treasury on ${token.network}, unannounced`)
}

async function waitingForAnswer({ base }: World) {
  const held = await listHeld(base.database, ALL)
  return held.filter(({ held_reason, rejected_at }) => held_reason === WAITS && rejected_at === null)
}

async function answer(
  world: World,
  { id, kind, network, account }: Awaited<ReturnType<typeof waitingForAnswer>>[number],
  isYes: boolean,
): Promise<void> {
  const { database } = world.base
  const decide = isYes || kind !== 'output' ? approve : rejectPayout
  if (!(await decide(database, id, nowIn(world)))) return
  await addJob(database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) })
  world.story.tell('operator', `says ${decide === approve ? 'yes' : 'no'} to a ${kind}`)
}

function approve(database: World['base']['database'], id: string, at: Date) {
  return approvePayout(database, id, 'operator', at)
}
