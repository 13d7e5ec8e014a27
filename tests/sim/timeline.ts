/**
 * The log of a run, in order: users, faults, chains and processes add lines. Ids are left out, so that two runs of a
 * seed give the same log.
 */
import { createHash } from 'node:crypto'

export interface Line {
  atMs: number
  who: string
  what: string
  /** The number of the swap; null if it concerns all. */
  swap: number | null
}

export interface Story {
  readonly lines: readonly Line[]
  tell(who: string, what: string, swap?: number | null): void
  /** Equal for two runs with the same events. */
  digest(): string
}

export function openStory(now: () => number): Story {
  const lines: Line[] = []
  return {
    lines,
    tell: (who, what, swap = null) => void lines.push({ atMs: now(), who, what, swap }),
    digest: () => createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, 16),
  }
}

export function showLine({ atMs, who, what, swap }: Line): string {
  const seconds = (atMs / 1000).toFixed(1).padStart(9)
  return `${seconds} s  ${who.padEnd(10)} ${what}${swap === null ? '' : `  [swap ${swap}]`}`
}
