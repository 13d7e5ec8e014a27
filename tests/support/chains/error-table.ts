/** Runs a family's error table: every row classifies its own example, and no row hides another. */
import { type ErrorRow, rowOfError } from '@causeway/chain-kit'
import { expect, it } from 'vitest'

export function testErrorTable(rows: readonly ErrorRow[]): void {
  it.each(rows)('$class: $example', (row) => {
    expect(row.code !== undefined || row.text !== undefined, 'a row has a code or a text').toBe(true)
    expect(row.origin.length, 'a row names its origin').toBeGreaterThan(5)
    expect(rowOfError(rows, { code: row.code, message: row.example })).toBe(row)
  })
}
