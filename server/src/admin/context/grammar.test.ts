/** A command's grammar accepts what it declares and nothing else, and no error repeats what was typed. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ADDRESS, AMOUNT, APP, NETWORK, NUMBERS, oneOf, optional, TEXT } from './forms.ts'
import { type Grammar, parseWords, wordsOf } from './grammar.ts'

const GRAMMAR: Grammar = {
  names: [APP],
  options: {
    network: NETWORK,
    to: ADDRESS,
    fee: optional(AMOUNT),
    what: optional(oneOf(['a', 'b', 'c'])),
    note: optional(TEXT),
  },
  flags: ['dry-run'],
}
const LEAST = ['shop', '--network', 'BETA', '--to', 'sim1abc']

test('what is stored is parsed to the same', () => {
  const given = parseWords(GRAMMAR, ['--fee=-1', ...LEAST, '--dry-run', '--note', 'a = "b" --to x'])
  expect(given.names).toEqual(['shop'])
  expect(given.values).toEqual({ network: 'BETA', to: 'sim1abc', fee: '-1', note: 'a = "b" --to x' })
  expect([...given.flags]).toEqual(['dry-run'])
  expect(parseWords(GRAMMAR, wordsOf(given))).toEqual(given)
})

const word = `typed${randomBytes(2).readUInt16BE()}`
const hex = randomBytes(32).toString('hex')
const REFUSED: [string[], string][] = [
  [[...LEAST, `--${word}${word}`], 'this is no option of this command: it takes --network, --to'],
  [[...LEAST, '--pem', word], '--pem is no option'],
  [[...LEAST, '--Network', word], '--Network is no option'],
  [[...LEAST, '-n', word], '-n is no option'],
  [[...LEAST, '--__proto__', word], 'is no option'],
  [[...LEAST, '--', word], '1 name is needed'],
  [[...LEAST, word], '1 name is needed'],
  [LEAST.slice(1), '1 name is needed'],
  [LEAST.slice(0, 3), '--to is needed'],
  [[...LEAST, '--network=BETA'], '--network is given twice'],
  [[...LEAST, `--dry-run=${word}`], '--dry-run takes no value'],
  [[...LEAST, '--fee', '--dry-run'], '--fee needs a value'],
  [[...LEAST, '--fee='], '--fee is needed'],
  [[...LEAST, `--fee=${word}`], '--fee is a plain decimal number'],
  [[...LEAST, `--what=${word}`], '--what is one of a, b or c'],
  [[...LEAST, `--note=${hex}`], '--note has characters that look random'],
  [['shop', '--network', hex, '--to', 'sim1abc'], '--network may be a secret'],
  [[`0x${hex}`, ...LEAST.slice(1)], 'the name may be a secret'],
]
test.each(REFUSED)('%j is refused', (words, message) => {
  const said = (() => {
    try {
      return `accepted ${JSON.stringify(parseWords(GRAMMAR, words))}`
    } catch (error) {
      return String(error)
    }
  })()
  expect(said).toContain(message)
  for (const typed of [word, hex]) expect(said).not.toContain(typed)
})

test('32 bytes are accepted where an address is expected', () => {
  expect(parseWords(GRAMMAR, ['shop', '--network=BETA', `--to=0x${hex}`]).values.to).toBe(`0x${hex}`)
})

test('a list of numbers may be long where one is expected', () => {
  const branches = Array.from({ length: 20 }, (_, n) => n).join(',')
  expect(parseWords({ options: { branches: NUMBERS } }, ['--branches', branches]).values.branches).toBe(branches)
})
