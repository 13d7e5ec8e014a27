/** The actions of a table's rows. */
import type { Action, List } from './lists.ts'

/** More actions than these do not fit beside their row. */
export const MOST_INLINE = 2

/** Some actions are only for rows with, or without, a value in a column. */
export function applies(when: Action['when'], heads: string[], row: string[]): boolean {
  return when === undefined || ((row[heads.indexOf(when.column)] ?? '') !== '') === when.isSet
}

/** A list may have several tables: an action belongs to those that have its columns. */
export function actionsFor({ rows = [] }: List, heads: string[]): Action[] {
  return rows.filter(({ from = {}, named }) =>
    [...Object.values(from), ...(named ? [named] : [])].every((head) => heads.includes(head)),
  )
}
