/**
 * Runs one mutant: this process loads the project with one line changed in memory, and runs seeds until a check fails.
 * Fault 0 changes nothing: it shows which seeds are clean.
 */
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults.ts'
import type { Trial, Verdict } from './main.ts'

const { number, url, seeds, options, storms } = JSON.parse(process.argv[2] ?? '{}') as Trial
const fault: Fault | undefined = FAULTS[number - 1]
const changed = fault && pathToFileURL(path.join(import.meta.dirname, '../../..', fault.file)).href
let isLoaded = fault === undefined
registerHooks({
  load(address, context, next) {
    const loaded = next(address, context)
    if (!fault || address !== changed) return loaded
    const text = Buffer.from(loaded.source as Uint8Array).toString()
    if (text.split(fault.find).length !== 2) throw new Error(`its text does not stand once in ${fault.file}`)
    isLoaded = true
    return { ...loaded, source: text.replace(fault.find, () => fault.replace) }
  },
})

// Imported only now, so that the hook sees everything that is loaded.
const { joinCluster } = await import('../world/database.ts')
const { run } = await import('../run.ts')
const { stormWith } = await import('../faults/storm.ts')
if (!isLoaded) throw new Error(`nothing loads ${fault?.file}`)
const cluster = joinCluster(url)
let verdict: Verdict = null
for (const seed of seeds) {
  const { world, problems } = await run(cluster, {
    swaps: 20,
    ...options,
    storm: stormWith(storms),
    seed,
    isHasty: true,
  })
  await world.stop()
  const [problem] = problems
  if (problem) verdict = { seed, what: problem.what }
  if (verdict) break
}
// Frozen work of an interrupted run holds timers that would keep this process alive.
process.stdout.write(JSON.stringify(verdict), () => process.exit())
