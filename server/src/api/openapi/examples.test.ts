/** The document besides its schemas: descriptions for everything, examples that fit, and every error code. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { API_ERRORS, type ApiErrorCode } from '@causeway/core'
import { verifyQuote, verifyWebhook } from '@causeway/sdk'
import { expect, test } from 'vitest'
import {
  callsOf,
  checkerOf,
  type Media,
  type OpenApi,
  responseIn,
  valuesIn,
} from '../../../../tests/support/service/openapi.ts'
import { MEANINGS, OF_NO_OPERATION, RESERVED } from './errors.ts'
import { type Example, readExamples } from './examples.ts'

const ROOT = path.join(import.meta.dirname, '../../../..')
const document: OpenApi = JSON.parse(readFileSync(path.join(ROOT, 'sdk/openapi.json'), 'utf8'))
const calls = callsOf(document)
const recorded = readExamples()

/** Without a body, a key and a rate limit. */
const BARE = ['GET /api/v2/health']

function firstOf(operation: string): Example {
  const [first] = recorded[operation] ?? []
  if (!first) throw new Error(`no example of ${operation}`)
  return first
}

/** Every example, with the schema it must match. */
const { swap: swapEvent, test: testEvent } = document.webhooks
const events = [swapEvent, testEvent].map(({ post }) => ({ key: 'webhook', ...post }))
const shown = [...calls, ...events].flatMap(({ key, requestBody, responses }) => {
  const answers = Object.entries(responses).flatMap(([status, response]) =>
    Object.values(responseIn(document, response).content ?? {}).map((media): [string, Media] => [
      `${key} ${status}`,
      media,
    ]),
  )
  const bodies = Object.values(requestBody?.content ?? {}).map((media): [string, Media] => [`${key} body`, media])
  return [...bodies, ...answers].flatMap(([name, media]) =>
    valuesIn(document, media).map((value, at) => ({ name: `${name} ${at}`, schema: media.schema, value })),
  )
})

test('every operation and every parameter is described', () => {
  for (const { key, summary, description, parameters } of calls) {
    expect([key, summary.length > 5, description.length > 20]).toEqual([key, true, true])
    for (const { $ref, name, description: words } of parameters)
      expect([key, name, Boolean($ref ?? words)]).toEqual([key, name, true])
  }
})

test('every field of a body is described', () => {
  const bodies = calls.flatMap(({ key, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema
    const name =
      String(schema?.$ref ?? '')
        .split('/')
        .at(-1) ?? ''
    return schema ? [{ key, body: (document.components.schemas?.[name] ?? schema) as { properties: object } }] : []
  })
  expect(bodies.length).toBeGreaterThan(4)
  for (const { key, body } of bodies)
    for (const [name, field] of Object.entries(body.properties))
      expect([key, name, field]).toEqual([key, name, expect.objectContaining({ description: expect.any(String) })])
})

test('every response has an example, and an example body if it takes one', () => {
  for (const { key, requestBody, responses } of calls) {
    for (const [status, response] of Object.entries(responses)) {
      for (const media of Object.values(responseIn(document, response).content ?? {}))
        expect([key, status, valuesIn(document, media).length > 0]).toEqual([key, status, true])
    }
    expect([key, Boolean(responses[200]?.content)]).toEqual([key, !BARE.includes(key)])
    if (!requestBody) continue
    const bodies = Object.values(requestBody.content).flatMap((media) => valuesIn(document, media))
    expect([key, bodies.length > 0]).toEqual([key, true])
  }
})

test('every example matches its schema', () => {
  expect(shown.length).toBeGreaterThan(100)
  for (const { name, schema, value } of shown) {
    const { error } = checkerOf(document, schema).safeParse(value)
    expect([name, error?.message]).toEqual([name, undefined])
  }
})

test('an example that does not match is detected', () => {
  const quote = shown.find(({ name }) => name.startsWith('GET /api/v2/limits 200'))
  expect(quote).toBeDefined()
  const checker = checkerOf(document, quote?.schema ?? {})
  expect(checker.safeParse({ data: { min_amount: 'a lot' } }).success).toBe(false)
  expect(checker.safeParse({ ...(quote?.value as object), more: 1 }).success).toBe(false)
})

test('the example swap verifies with the example key, and the example delivery with its secret', async () => {
  const swap = firstOf('POST /api/v2/swaps').answer as { data: Parameters<typeof verifyQuote>[0] }
  const keys = firstOf('GET /.well-known/causeway.json').answer as Parameters<typeof verifyQuote>[1]
  await verifyQuote(swap.data, keys)
  const endpoint = firstOf('POST /api/v2/webhooks').answer as { data: { secret: string } }
  const { secret } = endpoint.data
  const { request } = firstOf('webhook swap')
  const headers = new Headers(request.headers)
  const now = new Date(Number(headers.get('webhook-timestamp')) * 1000)
  const event = await verifyWebhook({ body: JSON.stringify(request.body), headers, secret, now })
  expect(event).toMatchObject({ type: 'swap.completed', schema_version: 1, data: { swap: { status: 'completed' } } })
})

test('every error has its status, its codes and the headers that say when to retry', () => {
  for (const { key, responses } of calls) {
    const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400)
    const wanted = BARE.includes(key) ? ['500'] : ['403', '429', '500', '503']
    expect([key, failures.map(([status]) => status)]).toEqual([key, expect.arrayContaining(wanted)])
    for (const [status, response] of failures) {
      const { description, headers } = responseIn(document, response)
      const codes = [...description.matchAll(/`([A-Z_]{5,})`:/g)].map(([, code]) => code as ApiErrorCode)
      expect(codes.length).toBeGreaterThan(0)
      for (const code of codes) expect([key, code, API_ERRORS[code]]).toEqual([key, code, Number(status)])
      const isForLater = status === '429' || status === '503'
      expect([key, status, 'Retry-After' in (headers ?? {})]).toEqual([key, status, isForLater])
    }
  }
})

test('every thrown code is documented by an operation, and no other', () => {
  const files = globSync(['server/src/**/*.ts', 'chains/*/src/**/*.ts'], { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|src\/(admin|api\/openapi)\//.test(file),
  )
  const texts = files.map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  const all = Object.keys(API_ERRORS) as ApiErrorCode[]
  const thrown = all.filter((code) => texts.some((text) => text.includes(`'${code}'`)))
  const told = JSON.stringify(
    calls.map(({ responses }) => Object.values(responses).map((given) => responseIn(document, given))),
  )
  const described = all.filter((code) => told.includes(`\`${code}\``))
  expect(all.filter((code) => !described.includes(code))).toEqual([...OF_NO_OPERATION, ...RESERVED])
  expect(thrown.filter((code) => !described.includes(code))).toEqual(OF_NO_OPERATION)
  expect(Object.keys(MEANINGS).sort()).toEqual([...all].sort())
})

test('webhooks document their signature, and streams their end', () => {
  const { parameters, description } = document.webhooks.swap.post
  expect(parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  expect(description).toContain('HMAC-SHA256')
  const stream = document.paths['/api/v2/swaps/{swapId}/events']?.get
  expect(Object.keys(stream?.responses ?? {})).toEqual(expect.arrayContaining(['200', '204', '404', '429']))
  expect(Object.keys(stream?.responses[200]?.content ?? {})).toEqual(['text/event-stream'])
})

test('both keys are documented, and operations that need a secret key say so', () => {
  expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(['PublicKey', 'SecretKey'])
  const secret = calls.filter(({ security }) => security).map(({ key }) => key)
  expect(secret.every((key) => key.includes('/webhooks'))).toBe(true)
  expect(secret).toHaveLength(6)
})
