/** Like `tests/e2e/resilience/crash.test.ts`, at the calls where nothing is signed yet, or everything is sent. */
import { afterAll, beforeAll, it } from 'vitest'
import { survives } from '../support/processes/crashing.ts'
import { startWorld, type World } from '../support/processes/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '3' }, false)
})
afterAll(() => world.stop())

it.each(['after:scan', 'before:prepare', 'after:prepare', 'before:sign', 'after:status'])(
  'killed %s, the swap still completes and is paid once',
  (crashAt) => survives(world, crashAt),
)
