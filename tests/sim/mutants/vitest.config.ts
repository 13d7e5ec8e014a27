/** The tests with one deliberate fault, by its number in the variable FAULT; 0 is none. */
import path from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import whole from '../../../vitest.config.ts'
import { FAULTS } from './faults.ts'

const PATIENCE_MS = 300_000
const ROOT = path.join(import.meta.dirname, '../../..')
const fault = FAULTS[Number(process.env.FAULT ?? 0) - 1]

export default mergeConfig(
  whole,
  defineConfig({
    root: ROOT,
    // A kept module would bring the fault into other runs, or hide it here. On a busy machine a test that runs out of
    // time would look like one that has noticed the fault.
    test: { fsModuleCache: false, testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS },
    plugins: [
      {
        name: 'deliberate-fault',
        enforce: 'pre',
        transform(code, id) {
          if (!fault || id !== path.join(ROOT, fault.file)) return null
          if (code.split(fault.find).length !== 2) throw new Error(`its text does not stand once in ${fault.file}`)
          return code.replace(fault.find, () => fault.replace)
        },
      },
    ],
  }),
)
