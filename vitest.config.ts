import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './tests/support/runner/long-first.ts'
import { minutesBySuite } from './tests/support/runner/minutes-by-suite.ts'
import { TIERS, type Tier } from './tests/support/runner/tiers.ts'

const SOURCE = 'causeway-source'
// Suites start hundreds of processes: what one of them has compiled, the next one takes from here.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/compile')

/** The system tier takes hours: it runs only if the command names it or one of its files. */
const isSystemNamed = process.argv.slice(2).some((word) => /\bsystem\b|\.long\b/.test(word))

const project = (name: Tier, isolate: boolean) => ({
  extends: true as const,
  test: {
    name,
    include: TIERS[name].include,
    exclude: ['**/node_modules/**', ...TIERS[name].except],
    isolate,
  },
})

export default defineConfig({
  // Packages that are built for others are used from their sources here, in these processes and in those they start.
  resolve: { conditions: [SOURCE] },
  ssr: { resolve: { conditions: [SOURCE], externalConditions: [SOURCE] } },
  test: {
    // Files share processes: much of their time was importing the same modules.
    projects: [project('fast', false), project('rest', false), ...(isSystemNamed ? [project('system', true)] : [])],
    maxWorkers: os.availableParallelism(),
    execArgv: [`--conditions=${SOURCE}`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['tests/support/runner/cluster.ts'],
    sequence: { sequencer: LongFirst },
    reporters: ['default', minutesBySuite],
  },
})
