/** Every language has every text: the same keys, values filled in, nothing empty, nothing that no page shows. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from './en/operator.ts'
import * as en from './en.ts'
import * as es from './es.ts'
import { LANGUAGES } from './language.ts'
import * as zh from './zh.ts'

type Text = string | ((...given: string[]) => string)
const texts = { en, es, zh }
const root = path.join(import.meta.dirname, '..')

/** Every text by its place, such as `swap.methods.wallet`. */
function textsIn(value: object, place = ''): [string, Text][] {
  return Object.entries(value).flatMap(([name, part]) => {
    const here = place ? `${place}.${name}` : name
    return typeof part === 'object' ? textsIn(part, here) : [[here, part as Text] satisfies [string, Text]]
  })
}

const gaps = (text: Text) => (typeof text === 'string' ? [] : Array.from({ length: text.length }, (_, at) => `‹${at}›`))
const filled = (text: Text) => (typeof text === 'string' ? text : text(...gaps(text)))

describe.each([...Object.entries(texts), ['operator', { operator }] as const])('%s', (_name, all) => {
  const every = textsIn(all)

  test('no text is empty or leaves a value out', () => {
    expect(every.length).toBeGreaterThan(100)
    const wrong = every.filter(([, text]) => /^\s*$|undefined|null|NaN|\[object|\{\w*\}/.test(filled(text)))
    expect(wrong).toEqual([])
    const without = every.filter(([, text]) => gaps(text).some((gap) => !filled(text).includes(gap)))
    expect(without.map(([place]) => place)).toEqual([])
  })
})

test('the switch offers the languages that have texts', () => {
  expect(Object.keys(LANGUAGES)).toEqual(Object.keys(texts))
})

describe.each([
  ['es', es, /[一-鿿]/],
  ['zh', zh, /[áéíóúñ¿¡]/],
] as const)('%s', (_name, other, foreign) => {
  const english = new Map(textsIn(en))
  const theirs = new Map(textsIn(other))

  test('has the keys of the English texts, with the same values', () => {
    expect([...theirs.keys()].sort()).toEqual([...english.keys()].sort())
    const different = [...theirs].filter(([place, text]) => gaps(text).length !== gaps(english.get(place) ?? '').length)
    expect(different.map(([place]) => place)).toEqual([])
  })

  test('is translated: few texts are as in English', () => {
    const same = [...theirs].filter(([place, text]) => {
      const own = filled(text)
      // Names, numbers and lone values are the same in every language.
      return /[a-z]{4,} [a-z]{2,}/i.test(own.replace(/‹\d›/g, '')) && own === filled(english.get(place) ?? '')
    })
    expect(same.map(([place]) => place)).toEqual([])
    expect([...theirs].filter(([, text]) => foreign.test(filled(text))).map(([place]) => place)).toEqual([])
  })
})

test('every text is shown by some page', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.startsWith('text') && !file.includes('.test.'))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
  const unused = Object.entries(en).flatMap(([name, part]) => {
    const imported = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '[./]+text/texts\\.ts'`)
    const users = sources.filter((source) => imported.test(source))
    return Object.keys(part)
      .filter((key) => !users.some((source) => new RegExp(`\\.${key}\\b|['{ ]${key}['},: ]`).test(source)))
      .map((key) => `${name}.${key}`)
  })
  expect(unused).toEqual([])
})
