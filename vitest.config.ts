import { defineConfig } from 'vitest/config'
import { minutesByRoom } from './tests/support/minutes.ts'

/** Suites start real databases and chains, so files run in few processes: the machine may have two cores only. */
export default defineConfig({
  test: {
    // Long suites (`npm run sim:guards`) belong beside the simulator's long runs, not into every change.
    include: [process.env.LONG ? '**/*.long.ts' : '**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ['default', minutesByRoom],
  },
})
