/** Says after a whole run how many minutes of work each room's suites were, so that it is seen where the time goes. */
import path from 'node:path'
import type { Reporter } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '../../..')
/** A run of a few files needs no such table. */
const FEW = 20

export const minutesByRoom: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length < FEW) return
    const spent = new Map<string, number>()
    for (const module of modules) {
      const { collectDuration, duration, setupDuration } = module.diagnostic()
      const room = roomOf(path.relative(ROOT, module.moduleId))
      spent.set(room, (spent.get(room) ?? 0) + collectDuration + duration + setupDuration)
    }
    const rows = [...spent].sort(([, a], [, b]) => b - a)
    console.log('\nMinutes of work by suite, two at a time')
    for (const [room, ms] of rows) console.log(`  ${(ms / 60_000).toFixed(1).padStart(5)}  ${room}`)
  },
}

/** `chains/evm`, `server/flow`, `tests/e2e`: two words say where to look. */
function roomOf(file: string): string {
  const [room = '', ...below] = file.split(path.sep).filter((part) => part !== 'src' && part !== 'local')
  return below.length > 1 ? `${room}/${below[0]}` : room
}
