/** `docs/alerts.md` explains every log line at level error, and nothing else. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { HOLD_CODES } from '@causeway/core'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const page = readFileSync(path.join(ROOT, 'docs/alerts.md'), 'utf8')
const sources = execFileSync('git', ['ls-files', 'core/src', 'server/src', 'chains'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /(?<!\.test)\.ts$/.test(file) && /^(core|server|chains\/\w+)\/src\//.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }))

/** The text between the parentheses that open at `start`. */
function argumentsAt(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const letter = text[at]
    if (letter === "'" || letter === '`') at = text.indexOf(letter, at + 1)
    else if (letter === '(') depth++
    else if (letter === ')' && --depth === 0) return text.slice(start + 1, at)
  }
  return ''
}

const worded = (literal: string) => literal.replaceAll(/\$\{[^}]*\}/g, '…')
/** The last string literal; null if the message is defined elsewhere. */
const lastWords = (words: string) => /(['`])((?:(?!\1).)*)\1,?\s*$/.exec(words)?.[2] ?? null

/** Every message that is logged at level error or above, and calls whose message is not a literal. */
function told(): { lines: string[]; elsewhere: string[] } {
  const lines: string[] = []
  const elsewhere: string[] = []
  for (const { file, text } of sources) {
    const calls = [...text.matchAll(/\blog(?:\.(?:error|fatal)|\[([^\]]*)\])\(/g)]
    for (const { 0: call, 1: level, index } of calls) {
      const before = text.slice(Math.max(0, index - 200), index)
      if (level !== undefined && !`${level === 'level' ? before : level}`.includes("'error'")) continue
      const words = lastWords(argumentsAt(text, index + call.length - 1))
      if (words === null) elsewhere.push(file)
      else lines.push(worded(words))
    }
    for (const { 2: words = '' } of text.matchAll(/\balerts\.push\((['`])(.*?)\1\)/g)) lines.push(worded(words))
  }
  return { lines: [...new Set(lines)], elsewhere }
}

/** The messages in the first column of tables with such a heading. */
function explained(heading: string): string[] {
  const tables = page.split(/\n\n/).filter((block) => block.startsWith(`| ${heading} |`))
  const cells = tables.flatMap((table) => table.split('\n').slice(2)).map((row) => row.split(' | ')[0] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words))
}

test('every line at the level error is explained, and every line that is explained exists', () => {
  const { lines, elsewhere } = told()
  // Alerts of `advance` are worded in core; those of the job queue in its own package.
  expect(elsewhere).toEqual(['server/src/flow/run/worker.ts', 'server/src/flow/swap/advance.ts'])
  expect(lines.length).toBeGreaterThan(50)
  expect(explained('Line').toSorted()).toEqual([...lines, 'Failed task …'].toSorted())
})

test('every hold or halt code is explained, and every explained code exists', () => {
  expect([...new Set(explained('Code'))].toSorted()).toEqual(HOLD_CODES.toSorted())
})

test('the database accepts exactly the codes of the code', () => {
  const folder = path.join(ROOT, 'server/migrations')
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const schema = files.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('\n')
  const [, list = ''] = /code text not null check \(code in \(([^)]*)\)/.exec(schema) ?? []
  const added = [...schema.matchAll(/'ARRAY\[''(\w+)''::text/g)]
  const removed = [...schema.matchAll(/replace\(listed, '''(\w+)''::text, ', ''\)/g)].map(([, code]) => code)
  const codes = [...list.matchAll(/'(\w+)'/g), ...added]
    .map(([, code]) => code)
    .filter((code) => !removed.includes(code))
  expect(codes.toSorted()).toEqual(HOLD_CODES.toSorted())
})
