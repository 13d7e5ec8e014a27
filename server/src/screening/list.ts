/** A deny list in a file: one address per line, `#` starts a comment. Reloaded when the file changes. */
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import type { Screener } from './screener.ts'

export type Spellings = (text: string) => readonly string[]

/** `spellings`: the canonical forms of a line in all families. */
export function denyList(file: string, spellings: Spellings = () => []): Screener {
  let listed = new Set<string>()
  let readAt = Number.NaN
  const refresh = () => {
    const { mtimeMs } = statSync(file)
    if (mtimeMs === readAt) return
    listed = new Set(
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.replace(/#.*/, '').trim())
        .filter((line) => line !== '')
        .flatMap((line) => [line, ...spellings(line)])
        .map((address) => address.toLowerCase()),
    )
    readAt = mtimeMs
  }
  try {
    refresh()
  } catch {
    throw new ConfigError('SCREENING_FILE: the file cannot be read')
  }
  return {
    name: 'deny list',
    async screen(suspects) {
      refresh()
      // Compared without case and in canonical form, so that another spelling does not evade the list.
      const found = suspects.find(({ address }) => listed.has(address.toLowerCase()))
      return found ? { ...found, reason: 'the address is on the deny list' } : null
    },
  }
}
