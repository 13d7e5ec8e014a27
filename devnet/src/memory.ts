/**
 * Memory of a process and all its descendants, by kind. Proportional (PSS): a page shared by several processes is
 * divided among them. Empty on systems without /proc.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Megabytes by kind of process. */
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

/**
 * The process and its descendants, found by parent ids: the kernel's lists of children may omit some while others exit.
 */
async function familyOf(pid: number): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [])
  const all = entries.filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(all.map(parentOf))
  const family = [pid]
  // Grows during the loop, so descendants of descendants are included.
  for (const member of family) family.push(...all.filter((_, index) => parents[index] === member))
  return family
}

/** The parent of a process. In /proc the state and the parent follow the name, which may contain anything. */
async function parentOf(pid: number): Promise<number> {
  const stat = await read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/** The file's text; empty if the process has just exited. */
function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
