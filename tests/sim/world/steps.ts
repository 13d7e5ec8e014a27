/**
 * One step of one process at a time: it ends normally, by a crash (then the process restarts), or frozen in the middle,
 * to be resumed later. Nothing else runs meanwhile, so that a seed replays exactly.
 */
import type { Token } from '@causeway/core'
import { isExpected } from '../check/expected.ts'
import { type Life, wake } from './process.ts'
import type { Process, World } from './world.ts'

/** A step takes milliseconds, on a busy machine seconds; one that takes this long is stuck for good. */
const STUCK_MS = 120_000

export async function runStep(
  world: World,
  process: Process,
  what: string,
  work: (life: Life) => Promise<unknown>,
): Promise<void> {
  if (process.paused) return
  const { life } = process
  world.story.tell(life.name, what)
  life.busySinceMs = world.elapsedMs
  life.pricesThen = pricesOf(world, life)
  await follow(world, process, outcomeOf(world, life, what, compareClock(life).then(work)))
}

/** As often as a step: the real time between two comparisons would make a replay differ. */
async function compareClock(life: Life): Promise<Life> {
  // If the database does not answer, the last verdict stays.
  await life.services.clock.check().catch(() => undefined)
  return life
}

function pricesOf({ base }: World, { services }: Life): ReadonlyMap<Token, bigint> {
  const tokens = base.catalogue.networks.flatMap((network) => network.tokens)
  return new Map(
    tokens.flatMap((token) => {
      const price = services.market.price(token)
      return price === null ? [] : [[token, price] as const]
    }),
  )
}

/** Goes on with what a paused process was doing. */
export async function resume(world: World, process: Process): Promise<void> {
  const { paused, life } = process
  if (!paused) return
  world.story.tell(life.name, 'comes back')
  process.paused = null
  life.thaw()
  await follow(world, process, paused)
}

export async function kill(world: World, process: Process): Promise<void> {
  const { paused, life } = process
  world.story.tell(life.name, 'is killed')
  life.kill()
  process.paused = null
  await paused
  await life.quiet()
  await world.oracle.observe(life)
  await begin(world, process)
}

async function follow(world: World, process: Process, done: Promise<unknown>): Promise<void> {
  const { life } = process
  let timer: NodeJS.Timeout | undefined
  const stuck = new Promise<'stuck'>((resolve) => {
    timer = setTimeout(() => resolve('stuck'), STUCK_MS)
  })
  const end = await Promise.race([done.then(() => 'done' as const), life.frozen.then(() => 'frozen' as const), stuck])
  clearTimeout(timer)
  if (end === 'stuck') throw new Error(`seed ${world.seed}: a step of ${life.name} is stuck`)
  await life.quiet()
  await world.oracle.observe(life)
  if (life.dead) return begin(world, process)
  if (end === 'done') return
  const isOver = await Promise.race([
    done.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ])
  if (isOver) life.thaw()
  else process.paused = done
}

async function begin(world: World, process: Process): Promise<void> {
  await world.restart(process)
  const { life } = process
  await runStep(world, process, 'starts', () => wake(life))
}

async function outcomeOf(world: World, life: Life, what: string, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isExpected(error)) world.unexpectedErrors.push(`${life.name}, ${what}: ${String(error)}`)
  }
}
