/**
 * The guide is correct: its samples are recorded responses, its code works, and it names every state and every error.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { API_ERRORS, STATUSES } from '@causeway/core'
import { expect, test } from 'vitest'
import { type Example, readExamples } from '../server/src/api/openapi/examples.ts'
import { shapeOf } from './examples/shape.ts'

const ROOT = path.join(import.meta.dirname, '..')
const guide = readFileSync(path.join(ROOT, 'docs/integrate.md'), 'utf8')
const examples = readExamples()
/** The language, the rest of the info line, and the code. */
const blocks = [...guide.matchAll(/^```(\w+)(?: ([^\n]*))?\n(.*?)^```$/gms)].map(
  ([, language, note = '', text = '']) => ({
    language,
    note,
    text,
  }),
)
const samples = blocks.filter(({ language }) => language === 'json')

/** `GET /path`, then which of its examples: a number, or an error code. */
function exampleNamed(note: string): Example | undefined {
  const [method, place, which = '0'] = note.split(' ')
  const own = examples[`${method} ${place}`] ?? []
  const isOf = ({ answer }: Example) => (answer as { error?: { code: string } }).error?.code === which
  return /^\d+$/.test(which) ? own.filter(({ status }) => status === 200)[Number(which)] : own.find(isOf)
}

test.each(samples)('the sample of $note is part of what the service answered', ({ note, text }) => {
  const example = exampleNamed(note)
  expect(example).toBeDefined()
  expect(shapeOf(example?.answer)).toMatchObject(shapeOf(JSON.parse(text)) as object)
})

test('there are samples', () => {
  expect(samples.length).toBeGreaterThan(5)
})

test('the code that verifies a webhook takes a true one, and no other', async () => {
  const code = blocks.find(({ note }) => note === 'verify')?.text ?? ''
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const request: Example['request'] = examples['webhook swap']?.[0]?.request ?? {}
  const endpoint = examples['POST /api/v2/webhooks']?.[0]?.answer ?? {}
  const { secret } = (endpoint as { data: { secret: string } }).data
  const headers = request.headers ?? {}
  const body = JSON.stringify(request.body)
  const now = Number(headers['webhook-timestamp']) * 1000
  expect(verify(body, headers, secret, now).data.swap.status).toBe('completed')
  expect(() => verify(body.replace('completed', 'complete?'), headers, secret, now)).toThrow('not signed')
  expect(() => verify(body, headers, secret, now + 301_000)).toThrow('too old')
  expect(() => verify(body, { ...headers, 'webhook-timestamp': 'x' }, secret, now)).toThrow('too old')
})

test('every error and every status is there', () => {
  for (const word of [...Object.keys(API_ERRORS), ...STATUSES]) expect(guide).toContain(`\`${word}\``)
})

test('the catalogue of errors has every code, with its status, a cause and a fix', () => {
  const catalogue = readFileSync(path.join(ROOT, 'docs/errors.md'), 'utf8')
  const entries = catalogue.split(/^### /m).slice(1)
  expect(entries.map((entry) => entry.split('\n')[0]).sort()).toEqual(Object.keys(API_ERRORS).sort())
  for (const entry of entries) {
    const [code = ''] = entry.split('\n')
    const status = API_ERRORS[code as keyof typeof API_ERRORS]
    expect(entry).toMatch(
      new RegExp(`^${code}\n\nStatus ${status}\\. .*\n\n- \\*\\*Cause\\.\\*\\* .*\n- \\*\\*Fix\\.\\*\\* `),
    )
  }
})

test('every call that it names exists', () => {
  const named = [...guide.matchAll(/(?:GET|POST|DELETE) (?:\/api\/v2)?(\/(?!sandbox)[\w/{}.]+)/g)].map(
    ([, place = '']) => place,
  )
  const known = Object.keys(examples).map((key) =>
    (key.split(' ')[1] ?? '').replace('/api/v2', '').replaceAll(/\{\w+\}/g, '{}'),
  )
  expect(named.length).toBeGreaterThan(15)
  for (const place of named) expect(known).toContain(place.replaceAll(/\{\w+\}/g, '{}'))
})
