/**
 * `npm run sim`: simulated swaps under faults, seed by seed. A failing seed prints the history of its swaps and replays
 * exactly.
 */
import { parseArgs } from 'node:util'
import { runConcurrently } from './concurrent/main.ts'
import { STORM_NAMES, stormOf } from './faults/storm.ts'
import { runMutants } from './mutants/main.ts'
import { report } from './report.ts'
import { run } from './run.ts'
import { startCluster } from './world/database.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    swaps: { type: 'string', default: '100' },
    seeds: { type: 'string', default: '1' },
    story: { type: 'string' },
    storm: { type: 'string', default: '' },
    mutants: { type: 'boolean', default: false },
    concurrent: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(
    `npm run sim -- [--seed N] [--swaps M] [--seeds K] [--story SWAP] [--storm NAME,NAME]
npm run sim -- --mutants [1,2,3]
npm run sim -- --concurrent [--seed N] [--swaps M] [--seeds K]

Runs the seeds N to N+K-1 with M swaps each; tells the story of one swap, by its number, where asked to.
Storms: ${STORM_NAMES.join(', ')}.
With --mutants it runs deliberate faults instead, all or those of these numbers, and tells which seed noticed each.
With --concurrent whole services run as processes on one database, are killed and frozen, and are checked at rest.`,
  )
  process.exit(0)
}
if (values.mutants)
  process.exit((await runMutants(positionals.join().split(',').filter(Boolean).map(Number))) > 0 ? 1 : 0)
const [seed, swaps, seeds] = [Number(values.seed), Number(values.swaps), Number(values.seeds)]
const storms = values.storm.split(',').filter(Boolean)
const cluster = await startCluster()
const started = performance.now()
let failed = 0
try {
  for (let current = seed; current < seed + seeds; current++) {
    const begun = performance.now()
    if (values.concurrent) {
      const { problems, statuses, ...counts } = await runConcurrently(cluster, current, swaps)
      if (problems.length > 0) failed++
      const verdict = problems.length > 0 ? 'FAIL' : 'ok  '
      console.log(`seed ${current}: ${verdict} ${statuses}, ${JSON.stringify(counts)}  ${secondsSince(begun)} s`)
      for (const { what, swap } of problems) console.log(`  ✗ ${swap === null ? '' : `swap ${swap}: `}${what}`)
      continue
    }
    const result = await run(cluster, { seed: current, swaps, storm: stormOf(storms, current) })
    const told = await report(result, values.story === undefined ? null : Number(values.story))
    if (result.problems.length > 0) failed++
    console.log(`${told}  ${secondsSince(begun)} s`)
    await result.world.stop()
  }
} finally {
  await cluster.stop()
}
function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1)
}

const seconds = secondsSince(started)
console.log(`\n${seeds - failed} of ${seeds} seeds passed, ${seeds * swaps} swaps ordered, ${seconds} s`)
process.exitCode = failed > 0 ? 1 : 0
