/** `npm run sim`: simulated swaps under faults, seed by seed. A seed that fails tells the story of its swaps and replays exactly. */
import { parseArgs } from 'node:util'
import { startCluster } from './database.ts'
import { runMutants } from './mutants/main.ts'
import { report } from './report.ts'
import { run } from './run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    swaps: { type: 'string', default: '100' },
    seeds: { type: 'string', default: '1' },
    story: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(
    `npm run sim -- [--seed N] [--swaps M] [--seeds K] [--story SWAP]
npm run sim -- --mutants [1,2,3]

Runs the seeds N to N+K-1 with M swaps each; tells the story of one swap, by its number, where asked to.
With --mutants it runs deliberate faults instead, all or those of these numbers, and tells which seed noticed each.`,
  )
  process.exit(0)
}
if (values.mutants)
  process.exit((await runMutants(positionals.join().split(',').filter(Boolean).map(Number))) > 0 ? 1 : 0)
const [seed, swaps, seeds] = [Number(values.seed), Number(values.swaps), Number(values.seeds)]
const cluster = await startCluster()
const started = performance.now()
let failed = 0
try {
  for (let current = seed; current < seed + seeds; current++) {
    const begun = performance.now()
    const result = await run(cluster, { seed: current, swaps })
    const told = await report(result, values.story === undefined ? null : Number(values.story))
    if (result.problems.length > 0) failed++
    console.log(`${told}  ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    await result.world.stop()
  }
} finally {
  await cluster.stop()
}
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(`\n${seeds - failed} of ${seeds} seeds passed, ${seeds * swaps} swaps ordered, ${seconds} s`)
process.exitCode = failed > 0 ? 1 : 0
