/**
 * Prices from an HTTP API that answers JSON. A path says where each number is, so most APIs can be read. Requests are
 * rate limited; in between, the last answer is returned with its true age.
 */
import { parseDecimal, type Usd } from '@causeway/core'
import { z } from 'zod'
import type { PriceSource } from './source.ts'

export const HttpSourceFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** The URL. `{ids}`: one call for all tokens. `{id}`: one call per token. */
  url: z.string().regex(/^https?:\/\/.*\{ids?\}/, 'must be an address with {ids} or {id} in it'),
  /** The path to the number, names separated by dots: `{id}.usd`. */
  path: z.string().min(1),
  /** The API's id of each token group. */
  ids: z.record(z.string(), z.string().min(1)),
  headers: z.record(z.string(), z.string()).default({}),
  refresh_seconds: z.number().positive().default(30),
  timeout_seconds: z.number().positive().max(30).default(5),
})
export type HttpSourceFile = z.infer<typeof HttpSourceFile>

const FRACTION_DECIMALS = 18
/** Real answers are shorter. A longer one must not fill the memory. */
const MAX_ANSWER_BYTES = 1_000_000

export function httpPrices(source: HttpSourceFile, now: () => Date): PriceSource {
  const known = new Map<string, { usd: Usd; at: Date }>()
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    name: source.name,
    fetchedAt: (group) => known.get(group)?.at ?? null,
    async read(groups) {
      const wanted = groups.filter((group) => source.ids[group] !== undefined)
      const at = now()
      if (wanted.length > 0 && at.getTime() - askedAt >= source.refresh_seconds * 1000) {
        askedAt = at.getTime()
        for (const [group, usd] of await fetchAll(source, wanted)) known.set(group, { usd, at })
      }
      return new Map(
        wanted.flatMap((group) => {
          const price = known.get(group)
          return price ? [[group, price.usd] as const] : []
        }),
      )
    },
  }
}

async function fetchAll(source: HttpSourceFile, groups: string[]): Promise<Map<string, Usd>> {
  const ids = [...new Set(groups.map((group) => source.ids[group] ?? ''))]
  const answers = new Map<string, unknown>()
  if (source.url.includes('{ids}')) {
    const answer = await fetchJson(source, source.url.replace('{ids}', encodeURIComponent(ids.join(','))))
    for (const id of ids) answers.set(id, answer)
  } else {
    const found = await Promise.allSettled(
      ids.map(async (id) => [id, await fetchJson(source, source.url.replace('{id}', encodeURIComponent(id)))] as const),
    )
    for (const result of found) if (result.status === 'fulfilled') answers.set(...result.value)
    if (answers.size === 0) throw new Error(`${source.name} answered none of ${ids.length} requests`)
  }
  const prices = new Map<string, Usd>()
  for (const group of groups) {
    const id = source.ids[group] ?? ''
    const price = priceIn(answers.get(id), source.path, id)
    if (price !== null) prices.set(group, price)
  }
  return prices
}

async function fetchJson({ name, headers, timeout_seconds }: HttpSourceFile, url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(timeout_seconds * 1000),
    redirect: 'error',
  })
  if (!response.ok) throw new Error(`${name} answered ${response.status}`)
  const text = await response.text()
  if (text.length > MAX_ANSWER_BYTES) throw new Error(`${name} answered ${text.length} bytes`)
  return JSON.parse(text)
}

/** The price in an answer; null if there is no positive number at the path. */
function priceIn(answer: unknown, path: string, id: string): Usd | null {
  let value = answer
  for (const name of path.split('.')) {
    const key = name === '{id}' ? id : name
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null
    value = Reflect.get(value, key)
  }
  const text = typeof value === 'number' ? plain(value) : typeof value === 'string' ? shortened(value) : ''
  const price = parseDecimal(text, FRACTION_DECIMALS)
  return price === null || price === 0n ? null : price
}

/** A JSON number as a decimal; prices need no more than 18 digits. */
function plain(value: number): string {
  const text = String(value)
  return /^\d+(\.\d{1,18})?$/.test(text) ? text : Number.isFinite(value) ? value.toFixed(FRACTION_DECIMALS) : ''
}

function shortened(text: string): string {
  return text.replace(/^(\d+\.\d{18})\d+$/, '$1')
}
