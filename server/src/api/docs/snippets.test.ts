/** The code of the reference makes the recorded requests: each TypeScript program is run, against a client whose requests are kept. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@causeway/sdk'
import { expect, test } from 'vitest'
import { callSnippets } from './call.ts'
import { type Document, nameIn } from './openapi.ts'

const document: Document = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../../../sdk/openapi.json'), 'utf8'),
)
const calls = Object.entries(document.paths).flatMap(([place, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ method, path: place, ...call })),
)
/** A call for the pages of older clients has no method in the TypeScript client. */
const WITHOUT_METHOD = ['getApp']
const SWAP = { swap: { status: 'completed', fail_reason: null, transactions: [] } }

test.each(calls)('$operationId in three languages', async (call) => {
  const snippets = callSnippets(call, document)
  const languages = snippets.map(({ language }) => language)
  const isWhole = !WITHOUT_METHOD.includes(call.operationId)
  expect(languages).toEqual(isWhole ? ['TypeScript', 'Python', 'Go'] : ['Python', 'Go'])
  if (!isWhole) return
  const asked: { method: string; url: URL; body: unknown }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    asked.push({ method: init?.method ?? 'GET', url: new URL(String(url)), body })
    return Response.json({ data: SWAP })
  }
  const [program = ''] = snippets.map(({ code }) => code)
  const run = new Function('createClient', `return (async () => {${program.replace(/^import .*\n/, '')}\n})()`)
  await run((options: Parameters<typeof createClient>[0]) => createClient({ ...options, fetch }))
  const [made] = asked
  expect(made?.method).toBe(call.method.toUpperCase())
  const given = call.parameters.map((one) => document.components.parameters[nameIn(one.$ref ?? '')] ?? one)
  const inPlace = (place: string) =>
    given.flatMap(({ name, in: where, example }) =>
      where === place && example !== undefined ? [{ name, example }] : [],
    )
  const wanted = inPlace('path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, String(example)),
    call.path,
  )
  expect(decodeURIComponent(made?.url.pathname ?? '')).toBe(wanted)
  const query = inPlace('query').map(({ name, example }) => [name, String(example)])
  expect(Object.fromEntries(made?.url.searchParams ?? [])).toEqual(Object.fromEntries(query))
  const [example] = Object.values(call.requestBody?.content['application/json']?.examples ?? {})
  const body = example?.$ref ? document.components.examples[nameIn(example.$ref)]?.value : example?.value
  if (body !== undefined) expect(made?.body).toEqual(body)
})
