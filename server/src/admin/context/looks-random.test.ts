/** Random bytes are found however they are written and broken up, with and without words around them. */
import { createHash } from 'node:crypto'
import { base32, base58 } from '@scure/base'
import { expect, test } from 'vitest'
import { looksRandom } from './looks-random.ts'
import { hasUnexplainedRandom } from './prose.ts'

const SECRETS = 1_000
const MISSED = 1

/** Bytes that are the same in every run. */
function bytes(seed: string, length: number): Buffer {
  return Buffer.concat([0, 1].map((half) => createHash('sha256').update(`${seed} ${half}`).digest())).subarray(
    0,
    length,
  )
}

const inFours = (text: string) => groupsOf(text, 4).join(' ')
const groupsOf = (text: string, length: number) => text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []
const inParts = (text: string, count: number) => groupsOf(text, Math.ceil(text.length / count))
const hex = (secret: Buffer) => secret.toString('hex')

const ENCODINGS: Record<string, (secret: Buffer) => string> = {
  hex,
  'hex in capitals': (secret) => hex(secret).toUpperCase(),
  base64: (secret) => secret.toString('base64'),
  base64url: (secret) => secret.toString('base64url'),
  base58: (secret) => base58.encode(secret),
  base32: (secret) => base32.encode(secret),
  decimal: (secret) => `${BigInt(`0x${hex(secret)}`)}`,
}
const LAYOUTS: Record<string, (text: string) => string> = {
  'in one word': (text) => text,
  'in fours': inFours,
  'in fours with hyphens': (text) => inFours(text).replaceAll(' ', '-'),
  'in two words': (text) => inParts(text, 2).join(' '),
  'over two lines': (text) => inParts(text, 2).join('\n'),
  'over three lines': (text) => inParts(text, 3).join('\n'),
  'over four lines': (text) => inParts(text, 4).join('\n'),
}
const AROUND: ((text: string) => string)[] = [
  (text) => text,
  (text) => `key: ${text}`,
  (text) => `key:\n${text}\n`,
  (text) => `please use ${text} from now on, the other one is gone`,
  (text) => `On 2026-03-14 Ada wrote "${text}".`,
]

const FORMS = Object.entries(ENCODINGS).flatMap(([encoding, encode]) =>
  Object.entries(LAYOUTS).map(([layout, lay]): [string, (secret: Buffer) => string] => [
    `${encoding} ${layout}`,
    (secret) => lay(encode(secret)),
  ]),
)
const eachByte = (secret: Buffer, write: (byte: number) => string) => [...secret].map(write)
const inHex = (byte: number) => byte.toString(16).padStart(2, '0')
const SIGNS = '!"#$%&\'()*+,-./:;<=>?@[]^_{|}~'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

FORMS.push(['bytes as numbers', (secret) => secret.join(', ')])
FORMS.push(['bytes as a tuple over lines', (secret) => `(\n  ${secret.join(',\n  ')}\n)`])
FORMS.push(['bytes in JSON', (secret) => JSON.stringify({ ...secret })])
FORMS.push(['bytes with 0x', (secret) => eachByte(secret, (byte) => `0x${inHex(byte)}`).join(', ')])
FORMS.push(['bytes, escaped', (secret) => eachByte(secret, (byte) => `\\x${inHex(byte)}`).join('')])
FORMS.push([
  'numbered bytes',
  (secret) =>
    eachByte(secret, (byte) => inHex(byte))
      .map((one, n) => `${n + 1}. ${one}`)
      .join('\n'),
])
FORMS.push([
  'numbered groups',
  (secret) =>
    groupsOf(hex(secret), 8)
      .map((one, n) => `${n + 1}) ${one}`)
      .join('\n'),
])
FORMS.push(['hex in pairs', (secret) => groupsOf(hex(secret), 2).join(' ')])
FORMS.push(['hex with 0x', (secret) => `0x${hex(Buffer.concat([secret, secret.subarray(0, 5)]))}`])
FORMS.push(['hex in pairs with colons', (secret) => groupsOf(hex(secret), 2).join(':')])

test.each(FORMS)(`of ${SECRETS} secrets at most ${MISSED} is missed: %s`, (form, write) => {
  const missed: string[] = []
  for (let n = 0; n < SECRETS; n++) {
    const around = AROUND[n % AROUND.length] ?? String
    const text = around(write(bytes(`${form} ${n}`, 16 + (n % 49))))
    if (!hasUnexplainedRandom(text)) missed.push(text)
  }
  expect(missed.length, missed.join('\n\n')).toBeLessThanOrEqual(MISSED)
})

/** As password managers make them: with a letter, a digit and a sign inside. */
function password(seed: string, signs: string, length: number): string {
  for (let n = 0; ; n++) {
    const drawn = [...bytes(`${seed} ${n}`, length)].map(
      (byte) => (LETTERS + signs)[byte % (LETTERS.length + signs.length)],
    )
    const text = drawn.join('')
    if (/[a-z]/i.test(text) && /\d/.test(text) && /[^a-z\d]/i.test(text.slice(1, -1))) return text
  }
}

test.each([
  [14, '!@#$%^&*'],
  [20, '!@#$%^&*'],
  [20, '-_.!@*'],
  [20, SIGNS],
  [40, SIGNS],
])('of random passwords less than 1 %% pass: %i characters with %s', (length, signs) => {
  const missed: string[] = []
  for (let n = 0; n < SECRETS; n++) {
    const around = AROUND[n % AROUND.length] ?? String
    const text = around(password(`${n}`, signs, length))
    if (!hasUnexplainedRandom(text)) missed.push(text)
  }
  expect(missed.length, missed.join('\n\n')).toBeLessThan(SECRETS / 100)
})

test.each([
  'fast',
  'Kraftfahrzeughaftpflichtversicherung',
  '1000000000000000000000',
  '+49 170 1234567',
  'USDT USDC WBTC WETH',
])('not random: %s', (text) => {
  expect(looksRandom(text)).toBe(false)
})
