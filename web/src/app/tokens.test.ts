/** The colours of both themes have enough contrast, computed from the CSS file. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { contrast, legible } from '../embed/theme.ts'

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8')
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
)
const colour = (name: string, theme: 'light' | 'dark') => tokens.get(name)?.[theme] ?? ''

const TEXT: [string, string[]][] = [
  [
    'ink',
    ['page', 'card', 'field', 'raised', 'hover', 'accent-wash', 'good-tint', 'warn-tint', 'bad-tint', 'info-tint'],
  ],
  ['soft', ['page', 'card', 'field', 'raised', 'hover', 'accent-wash']],
  ['faint', ['page', 'card', 'field']],
  ['accent', ['page', 'card', 'field', 'accent-tint']],
  ['accent-strong', ['page', 'card', 'field', 'accent-tint', 'accent-wash']],
  ['on-accent', ['accent', 'accent-strong']],
  ['good', ['page', 'card', 'field', 'good-tint']],
  ['warn', ['card', 'field', 'warn-tint']],
  ['bad', ['card', 'field', 'bad-tint']],
  ['info', ['card', 'info-tint']],
]

test.each(['light', 'dark'] as const)('every text has a contrast of 4.5:1, and borders of 3:1 (%s)', (theme) => {
  expect(tokens.size).toBe(24)
  for (const [text, surfaces] of TEXT)
    for (const surface of surfaces)
      expect(contrast(colour(text, theme), colour(surface, theme)), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5)
  for (const surface of ['page', 'card', 'field'])
    for (const line of ['edge', 'ring'])
      expect(contrast(colour(line, theme), colour(surface, theme)), `${line} on ${surface}`).toBeGreaterThanOrEqual(3)
})

test('an illegible accent is adjusted until it is legible', () => {
  for (const accent of ['#ffff00', '#000000', '#ffffff', '#808080', '#0b6b5d'])
    for (const surface of ['#ffffff', '#161e1c'])
      expect(contrast(legible(accent, surface), surface)).toBeGreaterThanOrEqual(4.5)
  expect(legible('#0b6b5d', '#ffffff')).toBe('#0b6b5d')
})
