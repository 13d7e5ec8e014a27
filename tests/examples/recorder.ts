/** Makes API calls and records requests and responses. Recorded URLs use the documented address. */
import { request as send } from 'node:http'
import type { Example, Examples } from '../../server/src/api/openapi/examples.ts'

/** Where `npm start` listens; also used in links of the responses. */
export const SHOWN = 'localhost:8080'
const SHOWN_KEY = '<API_KEY>'
/** These lists are cut to this length: the second network adds nothing to the first. */
const SHORTENED: Record<string, number> = { data: 1, tokens: 2, timeline: 2, rewards: 2, history: 2 }

interface Call {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** An API key. */
  key?: string
  headers?: Record<string, string>
}

export interface Recorder {
  examples: Examples
  /** Makes the call, records it under its operation, and returns the `data`. */
  call<Data>(operation: string, summary: string, call?: Call): Promise<Data>
  /** Makes the call without recording it. */
  ask<Data>(operation: string, call: Call): Promise<Data>
  /** Records something that did not come from a call. */
  keep(operation: string, example: Example): void
}

export function createRecorder(url: string): Recorder {
  const examples: Examples = {}
  const keep = (operation: string, example: Example) => {
    examples[operation] = [...(examples[operation] ?? []), example]
  }
  const make = async (operation: string, { key, ...given }: Call) => {
    const [method = 'GET', template = ''] = operation.split(' ')
    const place = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given.path?.[name] ?? ''))
    const query = given.query ? `?${new URLSearchParams(given.query)}` : ''
    const headers = { ...given.headers, ...(key !== undefined && { 'X-LS-APIKEY': key }) }
    return ask(method, `${url}${place}${query}`, headers, given.body)
  }
  return {
    examples,
    keep,
    ask: async (operation, call) => dataOf((await make(operation, call)).text),
    async call(operation, summary, call = {}) {
      const { status, text } = await make(operation, call)
      const { key, ...given } = call
      const shown = key === undefined ? given : { ...given, headers: { ...given.headers, 'X-LS-APIKEY': SHOWN_KEY } }
      keep(operation, { summary, request: shown, status, answer: shorten(JSON.parse(text)) })
      return dataOf(text)
    },
  }
}

function dataOf(text: string) {
  return JSON.parse(text).data
}

function ask(method: string, url: string, headers: Record<string, string>, body: unknown) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const typed = body === undefined ? {} : { 'content-type': 'application/json' }
    const asked = send(url, { method, headers: { ...headers, ...typed, host: SHOWN } }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
    })
    asked.once('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function shorten(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, SHORTENED[name] ?? value.length).map((item) => shorten(item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shorten(inner, field)]))
}
