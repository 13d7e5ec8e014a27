/**
 * The process is killed with SIGKILL at external calls of the path and restarted: every swap ends correctly, and its payout is
 * mined exactly once. Here at the calls around the signature; `tests/system/crash.long.ts` has the others.
 */
import { afterAll, beforeAll, it } from 'vitest'
import { survives } from '../../support/processes/crashing.ts'
import { startWorld, type World } from '../../support/processes/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '3' }, false)
})
afterAll(() => world.stop())

it.each(['after:inspect', 'after:nextSlot', 'after:sign', 'after:journal', 'before:broadcast', 'after:broadcast'])(
  'killed %s, the swap still completes and is paid once',
  (crashAt) => survives(world, crashAt),
)
