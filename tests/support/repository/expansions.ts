/**
 * Expand, then contract. During an upgrade processes of two adjacent releases use one database, so a migration may only add to what the
 * release before reads and writes. A file of the next release may remove what this one has stopped using.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The release that the present one must be able to replace without a stop: `tests/system/upgrade.long.ts` runs both. */
export interface Release {
  commit: string
  /** The files of `server/migrations` that it knows. */
  migrations: string[]
}

export function previousRelease(): Release {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'previous-release.json'), 'utf8')) as Release
}

/** What in a migration breaks a process that does not know it. Empty if it only expands, or removes what a released file replaced. */
export function contractions(sql: string, released: readonly string[]): string[] {
  const contracted = /^-- Contracts (\w+)\./m.exec(sql)?.[1]
  if (contracted !== undefined && released.includes(contracted)) return []
  const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').toLowerCase()
  const broken = text.split(';').flatMap((statement) => [...removals(statement), ...demands(statement)])
  return [...broken, ...lostConstraints(text)]
}

function removals(statement: string): string[] {
  const found = [
    /\bdrop (table|column|view|type|domain|schema|sequence|function|default)\b[^,]*/,
    // The keyword `column` may be left out.
    /\balter table\b.*\bdrop (?!(constraint|column|default|not null|expression|identity)\b)[^,]*/,
    /\brename\b[^,]*/,
    /\balter (column )?"?\w+"? (set data )?type\b[^,]*/,
  ].map((pattern) => pattern.exec(statement)?.[0])
  // An index only makes a query fast, and a trigger of the release before is replaced by one of the same name.
  return found
    .filter((part) => part !== undefined && !/^drop (index|trigger)\b/.test(part))
    .map((part) => `${part}`.trim())
}

/** Columns that an insert of the release before leaves out, and that must be there. */
function demands(statement: string): string[] {
  const set = /\bset not null\b/.exec(statement)?.[0]
  const added = [
    ...statement.matchAll(/\badd (?!constraint\b|check\b|foreign\b|unique\b|primary\b)(column )?.*?(?=, add |$)/g),
  ]
    .map(([part]) => part)
    .filter((part) => /^alter table\b/.test(statement.trim()) && /\bnot null\b/.test(part))
    .filter((part) => !/\b(default|generated)\b/.test(part))
  return [...(set ? [set] : []), ...added]
}

/** A constraint that goes must come back wider under its name. */
function lostConstraints(text: string): string[] {
  const added = [...text.matchAll(/\badd constraint (%i|"?\w+"?)/g)].map(([, name]) => name)
  return [...text.matchAll(/\bdrop constraint (?:if exists )?(%i|"?\w+"?)/g)]
    .filter(([, name]) => !added.includes(name))
    .map(([part]) => part)
}
