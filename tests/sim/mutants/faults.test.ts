/** The list of deliberate faults stays valid: each changes exactly one existing place. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { FAULTS } from './faults.ts'

it.each(FAULTS)('$name: its line stands once in $file', ({ file, find, replace }) => {
  const text = readFileSync(path.join(import.meta.dirname, '../../..', file), 'utf8')
  expect(text.split(find).length - 1).toBe(1)
  expect(replace).not.toBe(find)
})

it.each(FAULTS.flatMap(({ name, test }) => (test ? [{ name, ...test }] : [])))(
  '$name: the test that notices it is in $file',
  ({ file, title }) => {
    expect(readFileSync(path.join(import.meta.dirname, '../../..', file), 'utf8')).toContain(title)
  },
)
