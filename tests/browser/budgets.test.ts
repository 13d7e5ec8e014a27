/** Size budgets of the built pages for slow mobile networks. Compressed; static imports count. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildPages } from '@causeway/devnet'
import { beforeAll, expect, test } from 'vitest'

const DIST = path.join(import.meta.dirname, '../../web/dist')
const KB = 1024

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

let manifest: Record<string, Chunk>
beforeAll(async () => {
  await buildPages()
  manifest = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8'))
})

const sizeOf = (file: string) => gzipSync(readFileSync(path.join(DIST, file))).length

/** A chunk with all its static imports. */
function closure(name: string, into = new Set<string>()): Set<string> {
  if (into.has(name)) return into
  into.add(name)
  for (const part of manifest[name]?.imports ?? []) closure(part, into)
  return into
}
const filesOf = (names: Iterable<string>, kind: 'js' | 'css') =>
  new Set([...names].flatMap((name) => (kind === 'js' ? [manifest[name]?.file ?? ''] : (manifest[name]?.css ?? []))))
const weight = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + sizeOf(file), 0)

/** Exactly one is loaded with every page; Spanish is the longest. */
const LANGUAGES = ['src/text/en.ts', 'src/text/es.ts', 'src/text/zh.ts']

test.each(LANGUAGES)('the swap page with %s is under 60 kB', (language) => {
  const swap = new Set([...closure('index.html'), ...closure(language)])
  expect(weight(filesOf(swap, 'js'))).toBeLessThan(60 * KB)
})

test('a language waits for nothing of the pages, which wait for it', () => {
  for (const language of LANGUAGES) expect([...closure(language)]).toEqual([language])
})

test('the styles of everything are under 15 kB', () => {
  expect(weight(filesOf(Object.keys(manifest), 'css'))).toBeLessThan(15 * KB)
})

test.each([
  ['src/pages/status/page.tsx', 15],
  ['src/pages/explorer/page.tsx', 45],
  ['src/pages/history/page.tsx', 10],
  ['src/pages/developers/page.tsx', 10],
])('%s adds less than %i kB to it', (name, most) => {
  const swap = closure('index.html')
  const more = [...closure(name)].filter((part) => !swap.has(part))
  expect(weight(filesOf(more, 'js'))).toBeLessThan(most * KB)
})

test('the console is under 90 kB', () => {
  expect(weight(filesOf(closure('operator.html'), 'js'))).toBeLessThan(90 * KB)
})

test('wallets come only when they are wanted, and the script of an embedded form is under 5 kB', () => {
  const swap = [...closure('index.html')].join(' ')
  expect(swap).not.toMatch(/wallet\/src|ed25519|uplot/)
  expect(sizeOf('embed.js')).toBeLessThan(5 * KB)
})

test('every part was compressed by the build, and no document has a script or a style of its own inside', () => {
  const files = Object.values(manifest).map(({ file }) => file)
  expect(files.filter((file) => /\.(js|css)$/.test(file) && !existsSync(path.join(DIST, `${file}.br`)))).toEqual([])
  for (const page of ['index.html', 'embed.html']) {
    const html = readFileSync(path.join(DIST, page), 'utf8')
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|https?:\/\//)
  }
})
