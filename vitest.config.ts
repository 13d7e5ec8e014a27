import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './tests/support/runner/long-first.ts'
import { minutesByRoom } from './tests/support/runner/minutes-by-suite.ts'

const SOURCE = 'causeway-source'
// Suites start hundreds of processes: what one of them has compiled, the next one takes from here.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/compile')

/** Suites start real databases and chains, so files run in few processes: the machine may have two cores only. */
export default defineConfig({
  // Packages that are built for others are used from their sources here, in these processes and in those they start.
  resolve: { conditions: [SOURCE] },
  ssr: { resolve: { conditions: [SOURCE], externalConditions: [SOURCE] } },
  test: {
    execArgv: [`--conditions=${SOURCE}`],
    // Long suites (`npm run sim:guards`) belong beside the simulator's long runs, not into every change.
    include: [process.env.LONG ? '**/*.long.ts' : '**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['tests/support/runner/cluster.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    reporters: ['default', minutesByRoom],
  },
})
