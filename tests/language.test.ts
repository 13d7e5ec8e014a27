/** Plain English, checked: comments, titles, messages and documents avoid the phrases of `support/repository/language.ts`. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bannedPhrase, commentsIn, messagesIn, proseIn, sentencesIn, titlesIn } from './support/repository/language.ts'

const ROOT = path.join(import.meta.dirname, '..')
const MAX_TITLE = 100
/** Decision records are history: they are not rewritten. */
const EXEMPT_DOCUMENTS = ['docs/decisions/']
/** Reference lists and pages whose long sentences are being rewritten. */
const LONG_SENTENCES = ['CHANGELOG.md', 'docs/decisions/', 'docs/integrate.md', 'docs/operate/restore.md', 'sdk/']
const MAX_WORDS = 30

const filesOf = (...globs: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...globs], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('artifacts.ts') && !file.endsWith('.d.ts'))
const isUnder = (places: readonly string[], file: string) => places.some((place) => file.startsWith(place))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

const sources = filesOf('*.ts', '*.tsx')
  .filter((file) => !/^tests\/(language\.test|support\/repository\/language)/.test(file))
  .map((file) => ({ file, text: read(file) }))
const isTest = (file: string) => /\.(test|long)\.tsx?$/.test(file) || file.startsWith('tests/')

function faults(
  parts: (text: string) => string[],
  files: { file: string; text: string }[],
  rules: 'words' | 'words and grammar' = 'words and grammar',
): string[] {
  return files.flatMap(({ file, text }) =>
    parts(text).flatMap((part) => {
      const fault = bannedPhrase(part, rules)
      return fault ? [`${file}: ${fault}`] : []
    }),
  )
}

test('comments use plain words', () => {
  expect(faults(commentsIn, sources)).toEqual([])
})

test('messages use plain words', () => {
  const code = sources.filter(({ file }) => !isTest(file))
  // The name of a system user.
  const isName = (fault: string) => fault.includes('neither a user "postgres" nor "nobody"')
  expect(faults(messagesIn, code).filter((fault) => !isName(fault))).toEqual([])
})

test(`test titles use plain words, ${MAX_TITLE} characters at most`, () => {
  const tests = sources.filter(({ file }) => isTest(file))
  expect(faults(titlesIn, tests)).toEqual([])
  const long = tests.flatMap(({ file, text }) => titlesIn(text).map((title) => ({ file, title })))
  expect(
    long.filter(({ title }) => title.length > MAX_TITLE).map(({ file, title }) => `${file}: ${title.length} ${title}`),
  ).toEqual([])
})

test('documents use plain words', () => {
  const documents = filesOf('*.md')
    .filter((file) => !isUnder(EXEMPT_DOCUMENTS, file))
    .map((file) => ({ file, text: read(file) }))
  expect(faults(proseIn, documents, 'words')).toEqual([])
})

test(`no sentence of a document is over ${MAX_WORDS} words`, () => {
  const documents = filesOf('*.md').filter((file) => !isUnder(LONG_SENTENCES, file))
  const long = documents.flatMap((file) =>
    sentencesIn(read(file)).flatMap((sentence) => {
      const words = sentence.split(' ').filter((word) => /\w/.test(word)).length
      return words > MAX_WORDS ? [`${file}: ${words} words: ${sentence.slice(0, 120)}`] : []
    }),
  )
  expect(long).toEqual([])
})
