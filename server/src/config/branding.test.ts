/** The branding file is read as a whole, and every problem of it is named at the start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { accentProblems, accentsOf, contrast } from './accent.ts'
import { NO_BRANDING, readBranding } from './branding.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'branding-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(given: unknown) {
  const file = path.join(folder, 'branding.json')
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given))
  return readBranding(file)
}

test('without a file the pages look as usual', () => {
  expect(readBranding(undefined)).toEqual({ branding: NO_BRANDING, problems: [] })
  expect(read({})).toEqual({ branding: NO_BRANDING, problems: [] })
})

test('names, links, colours and pictures are taken', () => {
  writeFileSync(path.join(folder, 'logo.svg'), '<svg/>')
  const { branding, problems } = read({
    name: 'Northquay',
    operator: 'Northquay Labs Ltd',
    terms: 'https://northquay.example/terms',
    support: 'mailto:help@northquay.example',
    accent: { light: '#5B21B6', dark: '#c4b5fd' },
    logo: 'logo.svg',
  })
  expect(problems).toEqual([])
  expect(branding).toMatchObject({ name: 'Northquay', operator: 'Northquay Labs Ltd', imprint: null })
  expect(branding.accents?.light.accent).toBe('#5b21b6')
  expect(branding.pictures.get('/icon.svg')?.toString()).toBe('<svg/>')
})

test.each([
  ['{', ': is not JSON'],
  [{ nam: 'x' }, 'Unrecognized key: "nam"'],
  [{ terms: 'javascript:alert(1)' }, '.terms: must be an https: or mailto: address'],
  [{ accent: { light: 'red', dark: '#ffffff' } }, '.accent.light: must be a colour such as #0b6b5d'],
  [{ accent: { light: '#ffee00', dark: '#c4b5fd' } }, '.accent.light: the contrast of'],
  [{ logo: 'logo.png' }, '.logo: logo.png must end in .svg'],
  [{ preview: 'none.png' }, '.preview: none.png is not a file'],
])('%j is refused, and the message names the problem', (given, message) => {
  const { branding, problems } = read(given)
  expect(problems.join('\n')).toContain(message)
  expect(problems.every((problem) => problem.startsWith('BRANDING_FILE'))).toBe(true)
  expect(branding).toBe(NO_BRANDING)
})

test('the surfaces are those of the pages, and the usual accent passes', () => {
  const css = readFileSync(path.join(import.meta.dirname, '../../../web/src/app/tokens.css'), 'utf8')
  const accent = readFileSync(path.join(import.meta.dirname, 'accent.ts'), 'utf8')
  for (const [, light = '', dark = ''] of css.matchAll(/--(?:page|card|field): light-dark\((#\w{6}), (#\w{6})\)/g)) {
    expect(accent).toContain(light)
    expect(accent).toContain(dark)
  }
  expect(accentProblems(accentsOf({ light: '#0b6b5d', dark: '#4fd1b5' }))).toEqual([])
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
})
