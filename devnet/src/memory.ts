/**
 * What a process and all below it hold in memory, by what they are. Proportional (PSS): a page that several processes share is
 * counted once, divided among them. Empty on systems that do not tell.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Megabytes by what the processes are. */
export type Memory = ReadonlyMap<string, number>

export async function memoryOf(pid: number): Promise<Memory> {
  const memory = new Map<string, number>()
  for (const member of await familyOf(pid)) {
    const [rollup, command] = await Promise.all([read(`/proc/${member}/smaps_rollup`), read(`/proc/${member}/cmdline`)])
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]
    if (kilobytes === undefined) continue
    const kind = kindOf(command)
    memory.set(kind, (memory.get(kind) ?? 0) + Number(kilobytes) / 1024)
  }
  return memory
}

export function totalOf(memory: Memory): number {
  return [...memory.values()].reduce((sum, each) => sum + each, 0)
}

function kindOf(command: string): string {
  const family = /chains\/(\w+)\/local\/src\/process/.exec(command)?.[1]
  if (family !== undefined) return `local chains, ${family}`
  return command.includes('devnet/src/main.ts') ? 'service' : 'database'
}

/** The process and all below it, by who their parents are: the lists of children leave some out while others end. */
async function familyOf(pid: number): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const all = entries.filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(all.map(parentOf))
  const family = [pid]
  // It grows while it is walked: whoever is added has children of its own.
  for (const member of family) family.push(...all.filter((_, index) => parents[index] === member))
  return family
}

/** Behind the name, which may hold anything, stand the state and the parent. */
async function parentOf(pid: number): Promise<number> {
  const stat = await read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/** Nothing where the process has just ended. */
function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
