/** Settings of a network file: valid values are read exactly, and each error names its setting. */
import { expect, test } from 'vitest'
import { decimalForm, type SettingsReader, settingsReader, textForm, wordForm } from './settings.ts'

const reading = (settings: Record<string, unknown>) => settingsReader({ name: 'SOMEWHERE', settings })
const HEX = textForm(/^0x[0-9a-f]+$/, 'a hex number')

test('values are read, and defaults apply to missing or null ones', () => {
  const read = reading({ blocks: 7, tries: null, scan: 'logs', fee: '0.05', watch: false, owner: '0xa', old: ['0xb'] })
  expect(read.integer('blocks', 50, 1, 100)).toBe(7)
  expect(read.integer('tries', 3, 1, 5)).toBe(3)
  expect(read.oneOf('scan', ['blocks', 'logs'])).toBe('logs')
  expect(read.oneOf('model', ['plain', 'other'])).toBe('plain')
  expect(read.coins('fee', '1', 8)).toBe(5_000_000n)
  expect(read.coins('floor', '2.5', 8)).toBe(250_000_000n)
  expect([read.boolean('watch', true), read.boolean('listen', true)]).toEqual([false, true])
  expect([read.needed('owner', HEX), read.optional('owner', HEX), read.optional('heir', HEX)]).toEqual([
    '0xa',
    '0xa',
    null,
  ])
  expect([read.list('old', HEX, 'numbers'), read.list('older', HEX, 'numbers')]).toEqual([['0xb'], []])
  expect(read.record('names', 'names')).toEqual({})
  expect(() => read.nothingElse()).not.toThrow()
})

test.each<[Record<string, unknown>, (read: SettingsReader) => unknown, string]>([
  [
    { n: '7' },
    (read) => read.integer('n', 1, 1, 9),
    'setting n must be a whole number from 1 to 9 (network=SOMEWHERE, value="7")',
  ],
  [{ n: 0 }, (read) => read.integer('n', 1, 1, 9), 'setting n must be a whole number from 1 to 9'],
  [{ n: 10 }, (read) => read.integer('n', 1, 1, 9), 'setting n must be a whole number from 1 to 9'],
  [{ n: 1.5 }, (read) => read.integer('n', 1, 1, 9), 'setting n must be a whole number from 1 to 9'],
  [{ b: 'no' }, (read) => read.boolean('b', true), 'setting b must be true or false (network=SOMEWHERE, value="no")'],
  [{ w: 'c' }, (read) => read.oneOf('w', ['a', 'b']), 'setting w must be one of a, b'],
  [{ w: 1 }, (read) => read.oneOf('w', ['a', 'b']), 'setting w must be one of a, b'],
  [
    {},
    (read) => read.needed('w', wordForm(['a', 'b'])),
    'setting w must be one of a, b (network=SOMEWHERE, value=null)',
  ],
  [{ c: 1 }, (read) => read.coins('c', '1', 6), 'setting c must be whole coins in decimal text, above zero'],
  [{ c: '0' }, (read) => read.coins('c', '1', 6), 'setting c must be whole coins in decimal text, above zero'],
  [
    { c: '0.0000001' },
    (read) => read.coins('c', '1', 6, 'TRX'),
    'setting c must be whole TRX in decimal text, above zero',
  ],
  [{ p: '-1' }, (read) => read.needed('p', decimalForm(18, 'a price')), 'setting p must be a price'],
  [{ h: 'x' }, (read) => read.optional('h', HEX), 'setting h must be a hex number (network=SOMEWHERE, value="x")'],
  [{ h: 5 }, (read) => read.optional('h', HEX), 'setting h must be a hex number (network=SOMEWHERE, value=5)'],
  [{ l: '0x1' }, (read) => read.list('l', HEX, 'hex numbers'), 'setting l must be a list of hex numbers'],
  [
    { l: ['0x1', 7] },
    (read) => read.list('l', HEX, 'hex numbers'),
    'setting l must be a hex number (network=SOMEWHERE, value=7)',
  ],
  [{ r: 'x' }, (read) => read.record('r', 'names by place'), 'setting r must be names by place'],
])('%j is rejected: %#', (settings, asked, message) => {
  expect(() => asked(reading(settings))).toThrow(message)
})

test('an unknown key is reported together with the known ones', () => {
  const read = reading({ blocks: 7, block: 8 })
  read.integer('blocks', 1, 1, 9)
  read.boolean('watch', true)
  expect(() => read.nothingElse()).toThrow('setting block is unknown here, there are blocks, watch (network=SOMEWHERE)')
})
