/**
 * `npm run sim -- --mutants`: every mutant in a process of its own, two in parallel, and the seed that noticed it. A
 * seed counts only if it is clean without the fault.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { StormName } from '../faults/storm.ts'
import type { RunOptions } from '../run.ts'
import { startCluster } from '../world/database.ts'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults.ts'

/** The task of one process: fault 0 is none. */
export interface Trial {
  number: number
  url: string
  seeds: number[]
  options: Partial<RunOptions>
  storms: readonly StormName[]
}

/** The seed that showed a problem first; null if none did. */
export type Verdict = { seed: number; what: string } | null

/** The seeds for a mutant, most sensitive first; including short liquidity and frequent reorgs. */
const SEEDS = [1, 2, 5, 6, 4, 7, 8, 9, 3, 10, 11, 12]
/** The time for all faults together: those that are left are not run and count as not detected. */
const MOST_MS = 45 * 60_000
const EQUIVALENT = 'NOT NOTICED, equivalent'
const CHILD = path.join(import.meta.dirname, 'child.ts')
const ROOT = path.join(import.meta.dirname, '../../..')

/** Returns how many were not detected. `wanted`: numbers of the list; all if empty. */
export async function runMutants(wanted: readonly number[]): Promise<number> {
  const numbers = wanted.length > 0 ? [...wanted] : FAULTS.map((_, position) => position + 1)
  const all = numbers.length
  const cluster = await startCluster()
  const controls = new Map<string, Promise<Verdict>>()
  const began = performance.now()
  const survivors: number[] = []
  let done = 0
  let equivalents = 0
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const at = performance.now()
      const isLate = at - began > MOST_MS
      const verdict = isLate ? 'NOT RUN, the time is over' : await judge(number, cluster.url, controls)
      if (verdict.startsWith(EQUIVALENT)) equivalents++
      else if (!/^(seed|test) /.test(verdict)) survivors.push(number)
      const seconds = ((performance.now() - at) / 1000).toFixed(0).padStart(4)
      const name = `${number}`.padStart(2)
      console.log(`${`${++done}`.padStart(2)}/${all}  ${seconds} s  ${name} ${FAULTS[number - 1]?.name}: ${verdict}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  } finally {
    await cluster.stop()
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  const noticed = done - survivors.length - equivalents
  console.log(`\n${noticed} of ${done} faults were noticed, ${equivalents} are equivalent, ${minutes} min`)
  if (survivors.length > 0)
    console.log(`Not noticed: npm run sim -- --mutants ${survivors.sort((a, b) => a - b).join()}`)
  return survivors.length
}

async function judge(number: number, url: string, controls: Map<string, Promise<Verdict>>): Promise<string> {
  const { options = {}, storms = [], first = SEEDS[0], equivalent, test } = FAULTS[number - 1] ?? {}
  const seeds = [...new Set([first ?? 1, ...SEEDS])]
  try {
    if (test) return await judgeByTest(number, test, controls)
    while (seeds.length > 0) {
      const found = await attempt({ number, url, seeds, options, storms })
      if (!found) return equivalent ? `${EQUIVALENT}: ${equivalent}` : 'NOT NOTICED'
      const name = JSON.stringify([found.seed, options, storms])
      const control = controls.get(name) ?? attempt({ number: 0, url, seeds: [found.seed], options, storms })
      controls.set(name, control)
      if ((await control) === null) return `seed ${found.seed}: ${found.what.slice(0, 110)}`
      seeds.splice(0, seeds.indexOf(found.seed) + 1)
    }
    return 'NOT NOTICED but by seeds that fail without it too'
  } catch (error) {
    const told = (error as { stderr?: string }).stderr ?? String(error)
    return `BROKEN ${told.trim().split('\n').slice(-6).join(' ')}`
  }
}

async function judgeByTest(
  number: number,
  { file, title }: NonNullable<Fault['test']>,
  controls: Map<string, Promise<Verdict>>,
): Promise<string> {
  if ((await failureOf(number, file, title)) === null) return 'NOT NOTICED'
  const name = JSON.stringify([file, title])
  const control = controls.get(name) ?? failureOf(0, file, title)
  controls.set(name, control)
  const broken = await control
  return broken === null ? `test ${path.basename(file)}: ${title}` : `BROKEN ${broken.what}`
}

/** Runs one test with a fault; null if it passes. A title that no test has is no proof. */
async function failureOf(number: number, file: string, title: string): Promise<Verdict> {
  const pattern = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const config = path.join(import.meta.dirname, 'vitest.config.ts')
  const report = path.join(tmpdir(), `causeway-fault-${randomUUID()}.json`)
  const words = ['run', file, '--config', config, '-t', pattern, '--maxWorkers=1', '--reporter=json']
  const env = { ...process.env, FAULT: `${number}` }
  const program = path.join(ROOT, 'node_modules/vitest/vitest.mjs')
  // It fails if a test does, as it should: the report says which.
  await promisify(execFile)(process.execPath, [program, ...words, `--outputFile=${report}`], { cwd: ROOT, env }).catch(
    () => undefined,
  )
  const { numPassedTests, numFailedTests } = JSON.parse(await readFile(report, 'utf8')) as Record<string, number>
  await rm(report)
  if (!numPassedTests && !numFailedTests) throw new Error(`no test of ${file} ran: ${title}`)
  return numFailedTests ? { seed: 0, what: `${title} fails` } : null
}

async function attempt(trial: Trial): Promise<Verdict> {
  // With this process's own options: the sources are changed, not a build.
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, CHILD, JSON.stringify(trial)])
  return JSON.parse(stdout) as Verdict
}
