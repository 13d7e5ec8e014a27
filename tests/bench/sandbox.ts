/**
 * Resources of the whole sandbox: seconds until it is ready, and memory when ready, at most during the demo, and
 * afterwards. Memory is proportional (PSS): a page shared by several processes is divided among them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Memory, memoryOf, totalOf } from '@causeway/devnet'

const ROOT = path.join(import.meta.dirname, '../..')
/** Short, so that the demo can show the end of a window. */
const ENVIRONMENT = { ...process.env, PORT: '0', DEPOSIT_WINDOW_SECONDS: '20' }
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
const SAMPLE_MS = 500

export async function sandbox(): Promise<void> {
  const began = performance.now()
  const child = spawn(process.execPath, [...process.execArgv, 'devnet/src/main.ts'], { cwd: ROOT, env: ENVIRONMENT })
  try {
    const url = await readyUrl(child)
    const readyMs = performance.now() - began
    const atReady = await memoryOf(child.pid ?? 0)
    const during = await whileDemoRuns(url, child)
    print(readyMs, {
      'when ready': atReady,
      'most in the demo': during,
      'after the demo': await memoryOf(child.pid ?? 0),
    })
  } finally {
    await stop(child)
  }
}

function print(readyMs: number, columns: Record<string, Memory>): void {
  console.log(`  ready after                        ${(readyMs / 1000).toFixed(1)} s`)
  const names = Object.keys(columns)
  if (Object.values(columns).every(({ size }) => size === 0)) {
    console.log('  memory                             not told by this system (no /proc/<pid>/smaps_rollup)')
    return
  }
  console.log(`  ${'MB of memory (PSS)'.padEnd(34)} ${names.map((name) => name.padStart(17)).join('')}`)
  const kinds = [...new Set(Object.values(columns).flatMap((memory) => [...memory.keys()]))]
  const row = (title: string, read: (memory: Memory) => number) => {
    const cells = Object.values(columns).map((memory) => read(memory).toFixed(0).padStart(17))
    console.log(`  ${title.padEnd(34)} ${cells.join('')}`)
  }
  for (const kind of kinds) row(kind, (memory) => memory.get(kind) ?? 0)
  row('all together', totalOf)
}

/** Resolves with the printed address once the sandbox is ready. */
function readyUrl(child: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${printed}`)), START_TIMEOUT_MS)
    const hear = (data: Buffer) => {
      printed += data.toString()
      const url = /^Ready after/m.test(printed) ? /This sandbox\s+(\S+)\/sandbox/.exec(printed)?.[1] : undefined
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(`the sandbox did not start:\n${printed}`)))
  })
}

/** The peak memory. */
async function whileDemoRuns(url: string, sandboxProcess: ChildProcess): Promise<Memory> {
  const demo = spawn(process.execPath, [...process.execArgv, 'tests/demo/main.ts', '--url', url], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 2],
  })
  let lastLine = ''
  demo.stdout?.on('data', (data: Buffer) => {
    lastLine = data.toString().trim().split('\n').at(-1) ?? ''
  })
  let most: Memory = new Map()
  while (demo.exitCode === null && demo.signalCode === null) {
    const now = await memoryOf(sandboxProcess.pid ?? 0)
    if (totalOf(now) > totalOf(most)) most = now
    await wait(SAMPLE_MS)
  }
  console.log(`  demo                               ${lastLine}`)
  return most
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}
