/** `npm run sim -- --mutants`: every deliberate fault in a process of its own, two side by side, and which seed noticed it. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startCluster } from '../database.ts'
import { FAULTS } from './faults.ts'

/** Seeds that a fault is given to show itself. */
const SEEDS = 8
/** All faults together: what is left then is not run and counts as not caught. */
const MOST_MS = 45 * 60_000
const CHILD = path.join(import.meta.dirname, 'child.ts')

/** Answers how many were not caught. `wanted` are numbers of the list; all where there is none. */
export async function runMutants(wanted: readonly number[]): Promise<number> {
  const numbers = wanted.length > 0 ? [...wanted] : FAULTS.map((_, position) => position + 1)
  const all = numbers.length
  const cluster = await startCluster()
  const began = performance.now()
  const survivors: number[] = []
  let done = 0
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const at = performance.now()
      const isLate = at - began > MOST_MS
      const verdict = isLate ? 'NOT RUN, the time is over' : await attempt(number, cluster.url)
      if (!verdict.startsWith('seed')) survivors.push(number)
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
  console.log(`\n${done - survivors.length} of ${done} faults were noticed, ${minutes} min`)
  if (survivors.length > 0)
    console.log(`Not noticed: npm run sim -- --mutants ${survivors.sort((a, b) => a - b).join()}`)
  return survivors.length
}

async function attempt(number: number, url: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, `${number}`, url, `${SEEDS}`])
    const caught = JSON.parse(stdout) as { seed: number; what: string } | null
    return caught ? `seed ${caught.seed}: ${caught.what.slice(0, 110)}` : 'NOT NOTICED'
  } catch (error) {
    return `BROKEN ${String((error as { stderr?: string }).stderr ?? error)
      .trim()
      .split('\n')
      .slice(-6)
      .join(' ')}`
  }
}
