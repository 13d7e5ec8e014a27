import { expect, test } from 'vitest'
import { commandFor, helpFor } from '../cli/run.ts'
import { roleFor } from './roles.ts'

/** Commands that only print. The text of an approval must be printable by any viewer of the payout. */
const READING = [
  'list',
  'show',
  'held',
  'status',
  'verify',
  'payouts',
  'approval',
  'deliveries',
  'body',
  'result',
  'why',
  'check',
]

test('a viewer can use every command that only prints; a command that changes something needs more', () => {
  const commands = [...helpFor([]).matchAll(/^ {2}npm run admin -- (\w+) (?!\[)([a-z]+)/gm)].map(
    ([, noun = '', verb = '']) => ({
      noun,
      verb,
    }),
  )
  const seen = commands.filter(({ noun, verb }) => roleFor(noun, verb) === 'viewer')
  expect(seen).toEqual(commands.filter(({ verb }) => READING.includes(verb)))
  expect(seen.length).toBeGreaterThan(15)
  for (const { noun, verb } of commands) expect(commandFor([noun, verb])?.role).toBe(roleFor(noun, verb))
})

test('help is shown for no arguments, "help" and "--help", for all nouns or one', () => {
  for (const words of [[], ['help'], ['--help'], ['help', 'limit'], ['limit', '--help'], ['limit', 'set', '-h']])
    expect(commandFor(words)).toBe(null)
  expect(helpFor(['help'])).toBe(helpFor([]))
  expect(helpFor(['help', 'limit'])).toBe(helpFor(['limit', '--help']))
  expect(helpFor(['help', 'limit'])).not.toContain('npm run admin -- payout')
})
