/** The sandbox's exports for the demo, the tests and the benchmark. */
export { strangerOn } from './api/stranger.ts'
export { type DevnetFamilies, loadDevnet } from './families.ts'
export { type Memory, memoryOf, totalOf } from './memory.ts'
export { buildPages } from './pages.ts'
export { reportTo } from './report.ts'
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts'
export { SANDBOX_MNEMONIC } from './settings.ts'
export { type Progress, SandboxError } from './steps.ts'
