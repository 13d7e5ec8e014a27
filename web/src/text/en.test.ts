/** Every text is complete: not empty, without unfilled gaps or code. */
import { expect, test } from 'vitest'
import * as texts from './en.ts'

/** Every text, with its gaps filled. */
function sentencesIn(value: unknown, place: string): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  if (typeof value === 'function') {
    const words = Array.from({ length: value.length }, (_, at) => `‹${at}›`)
    return [[place, String(value(...words))]]
  }
  return Object.entries(value as object).flatMap(([name, part]) => sentencesIn(part, `${place}.${name}`))
}

const all = Object.entries(texts).flatMap(([name, part]) => sentencesIn(part, name))

test('every text is non-empty and contains all its values', () => {
  expect(all.length).toBeGreaterThan(200)
  const wrong = all.filter(([, text]) => text.trim() === '' || /undefined|null|NaN|\[object|\{\w*\}/.test(text))
  expect(wrong).toEqual([])
})

test('filled values appear in the text', () => {
  const gaps = Object.entries(texts).flatMap(([name, part]) =>
    Object.entries(part).flatMap(([key, value]) => {
      if (typeof value !== 'function') return []
      const words = Array.from({ length: value.length }, (_, at) => `‹${at}›`)
      const said = String((value as (...given: string[]) => string)(...words))
      return words.filter((word) => !said.includes(word)).map((word) => `${name}.${key} leaves out ${word}`)
    }),
  )
  expect(gaps).toEqual([])
})
