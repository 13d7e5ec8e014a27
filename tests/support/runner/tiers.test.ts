/** Every test file is run by exactly one of the commands. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { TIERS, tiersOf } from './tiers.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts', '*.test.tsx', '*.long.ts']
const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)

test('every test file belongs to exactly one tier', () => {
  expect(files.length).toBeGreaterThan(400)
  const unclear = files.filter((file) => tiersOf(file).length !== 1)
  expect(unclear.map((file) => `${file}: ${tiersOf(file).join(', ') || 'none'}`)).toEqual([])
})

test('every glob of a tier finds a file', () => {
  const globs = Object.values(TIERS).flatMap(({ include, except }) => [...include, ...except])
  expect(globs.filter((glob) => !files.some((file) => path.posix.matchesGlob(file, glob)))).toEqual([])
})
