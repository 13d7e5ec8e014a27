/**
 * A run: a seed draws what happens next, one step at a time, until every swap was made and had its time; then the faults
 * stop, the world comes to rest, and what is left is held against the rules.
 */

import { beat } from '../../server/src/flow/run/counters.ts'
import { check, violations } from './check/check.ts'
import type { Problem } from './check/problem.ts'
import {
  block,
  changeFee,
  changePrice,
  evict,
  list,
  mine,
  nodeTrouble,
  refuseOnce,
  reorg,
  resendLost,
} from './faults/chain-events.ts'
import {
  crowd,
  decideUnmatched,
  delist,
  losePrice,
  outage,
  refuseSigning,
  relandOtherwise,
  reportFalseFee,
  rob,
  setClockAhead,
  takeSlot,
} from './faults/disasters.ts'
import { CALM, type Storm, type StormName } from './faults/storm.ts'
import { ALL_GUARDS, type Guards } from './guards/guards.ts'
import { answerLate, answerOne, giveUnannounced, noteHold, pauseSome, resumeOne, setRules } from './people/operator.ts'
import { askedOf } from './people/operator-bot.ts'
import { makeSwap } from './people/users.ts'
import { settle } from './quiesce.ts'
import type { Cluster } from './world/database.ts'
import { runJob, unlock } from './world/jobs.ts'
import { refresh } from './world/process.ts'
import { openWorld } from './world/setup.ts'
import { failOver, noticeStop, putBack, takeSnapshot } from './world/snapshot.ts'
import { kill, resume, runStep } from './world/steps.ts'
import type { Process, World } from './world/world.ts'

export interface Run {
  world: World
  problems: Problem[]
  steps: number
}

const WEIGHTS = {
  order: 12,
  act: 16,
  mine: 14,
  watch: 30,
  job: 26,
  housekeeping: 6,
  market: 8,
  reorg: 1.5,
  fee: 1,
  price: 1,
  forgetMempool: 0.7,
  resend: 1,
  node: 3,
  block: 0.5,
  fail: 0.3,
  list: 0.4,
  halt: 0.3,
  release: 1,
  answer: 1.5,
  giveUnannounced: 0.3,
  pause: 0.4,
  resume: 2,
  kill: 0.5,
  freeLocks: 2,
  expireLeases: 0.7,
  jumpTime: 0.4,
  outage: 0.1,
  refuse: 0.3,
  takeSlot: 2,
  reland: 2,
  delist: 0.3,
  decide: 3,
  rob: 0.3,
  crowd: 0.04,
  backup: 0.5,
  restore: 0.3,
  lieFee: 1,
  losePrice: 0.15,
  standbyLags: 0.5,
  failover: 0.5,
  beat: 8,
  clock: 0.4,
  noteHold: 3,
  answerLate: 1.5,
}
type Action = keyof typeof WEIGHTS

/** Actions that need their storm. */
const STORMY: Partial<Record<Action, StormName>> = {
  outage: 'outages',
  refuse: 'signerRefusals',
  takeSlot: 'slotDeath',
  reland: 'relanding',
  delist: 'delisting',
  decide: 'unmatched',
  rob: 'theft',
  crowd: 'crowds',
  backup: 'restore',
  restore: 'restore',
  lieFee: 'feeLies',
  losePrice: 'lostPrices',
  standbyLags: 'failover',
  failover: 'failover',
  beat: 'failover',
  clock: 'clockAhead',
  noteHold: 'lateAnswers',
  answerLate: 'lateAnswers',
}

/**
 * After this many steps without a new swap the run ends, and fails because swaps are missing. Steps in which everything
 * stands still for a review of what was restored do not count.
 */
const MAX_IDLE_STEPS = 3_000
const MAX_STEPS = 40_000
/** Steps after the last swap was made, so that its users get to act. */
const AFTERMATH = 300
/** During a review the operator acts this much more often; every this many steps it checks whether one is needed. */
const EAGER = 10
const LOOK_EVERY = 20
const TICK_MS = 1_500
const MAX_LEAP_MS = 400_000

export interface RunOptions {
  seed: number
  swaps: number
  guards?: Guards
  storm?: Storm
  /** The probability of a pause at a call, if the run is about that. */
  freeze?: number
  /** The same of being killed. */
  death?: number
  /**
   * The wallets hold little of each token except the native ones, if the run is about that. With a seed that funds them
   * no more.
   */
  scarce?: boolean
  /** After a restore the operator resumes payouts first and reviews them then. */
  impatient?: boolean
  /** Weights of actions, if the run is about that. */
  weights?: Partial<typeof WEIGHTS>
  /** The run is over at the first problem of this kind. */
  until?: RegExp
  /** The run is over at the first breach that shows on the way. */
  isHasty?: boolean
}

/** The caller closes the world. */
export async function run(cluster: Cluster, options: RunOptions): Promise<Run> {
  const { seed, swaps, guards = ALL_GUARDS } = options
  const weights = weightsOf(options)
  const storm = options.storm ?? CALM
  const { freeze, death, scarce, impatient } = options
  const world = await openWorld(cluster, { seed, guards, storm, freeze, death, scarce, impatient })
  await begin(world)
  let steps = 0
  let idle = 0
  let isAsked = false
  let aftermath = AFTERMATH
  const { until, isHasty } = options
  const isOver = () =>
    world.unexpectedErrors.length > 0 ||
    (isHasty === true && violations(world).length > 0) ||
    (until !== undefined && world.oracle.problems.some(({ what }) => until.test(what)))
  while (aftermath > 0 && idle < MAX_IDLE_STEPS && steps < MAX_STEPS && !isOver()) {
    // While everything stands still for a review, the operator has nothing better to do.
    if (steps % LOOK_EVERY === 0) isAsked = (await askedOf(world)) !== null
    const isStill = isAsked || world.restoring !== null
    // An order that is refused, or cut off by a fault, makes no swap that its user knows of.
    const made = world.swaps.length
    const isFull = made >= swaps
    const action = world.random.weighted({
      ...weights,
      order: isFull ? 0 : weights.order,
      answer: weights.answer * (isStill ? EAGER : 1),
    })
    if (isFull) aftermath--
    await perform(world, action)
    if (world.swaps.length > made) idle = 0
    else if (!isStill) idle++
    await noticeStop(world)
    world.oracle.look()
    world.elapsedMs += world.random.between(0, TICK_MS)
    steps++
  }
  if ((isHasty || until) && isOver()) return { world, problems: await check(world), steps }
  await settle(
    world,
    async () =>
      ((isHasty === true || until !== undefined) && isOver()) ||
      (until !== undefined && (await check(world)).some(({ what }) => until.test(what))),
  )
  const problems = await check(world)
  const made = world.swaps.length
  if (made < swaps && !isOver()) {
    const refused = [...world.refusedOrders].map(([reason, times]) => `${times} times: ${reason}`).join('; ')
    problems.push({ what: `only ${made} of ${swaps} swaps were taken. Refused ${refused}`, swap: null })
  }
  return { world, problems, steps }
}

function weightsOf({ weights, storm = CALM }: RunOptions): Record<Action, number> {
  const all = { ...WEIGHTS, ...weights }
  for (const [action, name] of Object.entries(STORMY) as [Action, StormName][]) if (!storm[name]) all[action] = 0
  return all
}

/** The service has run before: its rules are set, and it knows where each chain stands. */
async function begin(world: World): Promise<void> {
  await setRules(world)
  world.trouble.active = false
  const [first] = world.processes
  if (first) for (const network of world.chains.keys()) await watch(world, first, network)
  world.trouble.active = true
}

async function perform(world: World, action: Action): Promise<void> {
  const { random } = world
  const process = random.pick(world.processes)
  switch (action) {
    case 'order':
      return makeSwap(world, process)
    case 'act':
      return act(world)
    case 'mine':
      return mine(world)
    case 'watch':
      return watch(world, process, random.pick([...world.chains.keys()]))
    case 'job':
      return void (await runJob(world, process))
    case 'housekeeping':
      return runStep(world, process, 'keeps house', ({ housekeeper }) => housekeeper.turn())
    case 'market':
      return refreshMarket(world, process)
    case 'reorg':
      return reorg(world)
    case 'fee':
      return changeFee(world)
    case 'price':
      return changePrice(world)
    case 'forgetMempool':
      return evict(world)
    case 'resend':
      return resendLost(world)
    case 'node':
      return nodeTrouble(world)
    case 'block':
      return block(world)
    case 'fail':
      return refuseOnce(world)
    case 'list':
      return list(world)
    case 'halt':
      return pauseSome(world)
    case 'release':
      return resumeOne(world)
    case 'answer':
      return answerOne(world)
    case 'giveUnannounced':
      return giveUnannounced(world)
    case 'pause':
      if (!process.paused) process.life.freeze()
      return
    case 'resume':
      return resume(world, process)
    case 'kill':
      return kill(world, process)
    case 'freeLocks':
      return freeLocks(world)
    case 'expireLeases':
      return expireLeases(world)
    case 'jumpTime':
      world.elapsedMs += random.between(0, MAX_LEAP_MS)
      world.story.tell('time', 'leaps')
      return
    case 'outage':
      return outage(world)
    case 'refuse':
      return refuseSigning(world)
    case 'takeSlot':
      return takeSlot(world)
    case 'reland':
      return relandOtherwise(world)
    case 'delist':
      return delist(world)
    case 'decide':
      return decideUnmatched(world)
    case 'rob':
      return rob(world)
    case 'crowd':
      return crowd(world)
    case 'backup':
      return takeSnapshot(world)
    case 'restore':
      return putBack(world)
    case 'lieFee':
      return reportFalseFee(world)
    case 'losePrice':
      return losePrice(world)
    case 'standbyLags':
      return takeSnapshot(world)
    case 'failover':
      return failOver(world)
    case 'beat':
      return beatOnce(world, process)
    case 'clock':
      return setClockAhead(world, process)
    case 'noteHold':
      return noteHold(world)
    case 'answerLate':
      return answerLate(world)
  }
}

/** Compares the counters, in every second run. */
async function beatOnce(world: World, process: Process): Promise<void> {
  if (world.seed % 2 === 0) return
  let isEnded = false
  await runStep(world, process, 'counts', ({ services }) =>
    beat(services, () => {
      isEnded = true
    }),
  )
  if (isEnded && !process.paused) await kill(world, process)
}

async function act(world: World): Promise<void> {
  const due = world.intents.findIndex(({ dueMs }) => dueMs <= world.elapsedMs)
  const [intent] = due < 0 ? [] : world.intents.splice(due, 1)
  await intent?.act()
}

async function watch(world: World, process: Process, network: string): Promise<void> {
  await runStep(world, process, `watches ${network}`, async ({ watchers }) => watchers.get(network)?.turn())
}

async function refreshMarket(world: World, process: Process): Promise<void> {
  await runStep(world, process, 'reads the market', async (life) => {
    await life.services.market.refreshPrices()
    await life.services.safeguards.refresh()
    await life.services.campaigns.refresh()
    for (const network of life.services.catalogue.networks) await refresh(life, network)
  })
}

/** Frees the locks of the dead; a paused worker looks dead too. */
async function freeLocks(world: World): Promise<void> {
  const silent = world.processes.filter(({ paused }) => paused).map(({ life }) => life.name)
  await unlock(world, [...world.deadWorkers.splice(0), ...silent])
  world.story.tell('reaper', 'frees jobs')
}

/** A lease ran out although its holder lives: it was too slow. */
async function expireLeases(world: World): Promise<void> {
  await world.query("update lease set expires_at = 'epoch'")
  world.story.tell('time', 'all leases run out')
}
