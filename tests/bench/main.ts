/**
 * `npm run bench [-- NAME…]`: measurements, printed and never asserted. Each bench measures its subject and a baseline
 * in one run, because machines are noisy and only ratios can be compared.
 */
import { api } from './api.ts'
import { faults } from './faults/faults.ts'
import { fuzz } from './fuzz.ts'
import { growth } from './growth.ts'
import { hour } from './hour/hour.ts'
import { idle } from './idle.ts'
import { latency } from './latency.ts'
import { pages } from './pages.ts'
import { payouts } from './payouts.ts'
import { sandbox } from './sandbox.ts'
import { scan } from './scan.ts'
import { swaps } from './swaps.ts'

const BENCHES: Record<string, () => Promise<void>> = {
  api,
  faults,
  fuzz,
  growth,
  idle,
  latency,
  pages,
  payouts,
  sandbox,
  scan,
  swaps,
}
/** These take too long to run by default. */
const LONG: Record<string, () => Promise<void>> = { hour }
const ALL = { ...BENCHES, ...LONG }

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in ALL))
if (unknown.length > 0 || wanted.includes('--help')) {
  console.log(
    `npm run bench [-- NAME…]\n\nBenches: ${Object.keys(ALL).join(', ')}; all of them but ${Object.keys(LONG)} where none is named.`,
  )
  process.exit(unknown.some((name) => name !== '--help') ? 1 : 0)
}
for (const [name, bench] of Object.entries(ALL)) {
  if (wanted.length > 0 ? !wanted.includes(name) : name in LONG) continue
  console.log(`\n${name}`)
  await bench()
}
