/**
 * `npm run sim -- --mutants`: every mutant in a process of its own, two in parallel, and the seed that noticed it. A
 * seed counts only if it is clean without the fault.
 */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { StormName } from '../faults/storm.ts'
import type { RunOptions } from '../run.ts'
import { startCluster } from '../world/database.ts'
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
const MAY_LIVE = 'LIVES, and may'
const CHILD = path.join(import.meta.dirname, 'child.ts')

/** Returns how many were not detected. `wanted`: numbers of the list; all if empty. */
export async function runMutants(wanted: readonly number[]): Promise<number> {
  const numbers = wanted.length > 0 ? [...wanted] : FAULTS.map((_, position) => position + 1)
  const all = numbers.length
  const cluster = await startCluster()
  const controls = new Map<string, Promise<Verdict>>()
  const began = performance.now()
  const survivors: number[] = []
  let done = 0
  let argued = 0
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const at = performance.now()
      const isLate = at - began > MOST_MS
      const verdict = isLate ? 'NOT RUN, the time is over' : await judge(number, cluster.url, controls)
      if (verdict.startsWith(MAY_LIVE)) argued++
      else if (!verdict.startsWith('seed')) survivors.push(number)
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
  const noticed = done - survivors.length - argued
  console.log(`\n${noticed} of ${done} faults were noticed, ${argued} live for the reason given, ${minutes} min`)
  if (survivors.length > 0)
    console.log(`Not noticed: npm run sim -- --mutants ${survivors.sort((a, b) => a - b).join()}`)
  return survivors.length
}

async function judge(number: number, url: string, controls: Map<string, Promise<Verdict>>): Promise<string> {
  const { options = {}, storms = [], first = SEEDS[0], equivalent } = FAULTS[number - 1] ?? {}
  const seeds = [...new Set([first ?? 1, ...SEEDS])]
  try {
    while (seeds.length > 0) {
      const found = await attempt({ number, url, seeds, options, storms })
      if (!found) return equivalent ? `${MAY_LIVE}: ${equivalent}` : 'NOT NOTICED'
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

async function attempt(trial: Trial): Promise<Verdict> {
  // With this process's own options: the sources are changed, not a build.
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, CHILD, JSON.stringify(trial)])
  return JSON.parse(stdout) as Verdict
}
