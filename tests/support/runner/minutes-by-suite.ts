/** Prints the minutes per suite after a long run. */
import path from 'node:path'
import type { Reporter } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '../../..')
/** A run of fewer files needs no table. */
const MIN_FILES = 20

export const minutesBySuite: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length < MIN_FILES) return
    const spent = new Map<string, number>()
    for (const module of modules) {
      const { collectDuration, duration, setupDuration } = module.diagnostic()
      const suite = suiteOf(path.relative(ROOT, module.moduleId))
      spent.set(suite, (spent.get(suite) ?? 0) + collectDuration + duration + setupDuration)
    }
    const rows = [...spent].sort(([, a], [, b]) => b - a)
    console.log('\nMinutes of work by suite')
    for (const [suite, ms] of rows) console.log(`  ${(ms / 60_000).toFixed(1).padStart(5)}  ${suite}`)
  },
}

/** `chains/evm`, `server/flow`, `tests/e2e`: two segments are enough. */
function suiteOf(file: string): string {
  const [room = '', ...below] = file.split(path.sep).filter((part) => part !== 'src' && part !== 'local')
  return below.length > 1 ? `${room}/${below[0]}` : room
}
