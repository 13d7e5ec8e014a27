/** The service behind these pages: always the origin that they came from. */
import { createClient } from '@causeway/sdk/light'
import { signal } from '@preact/signals'
import { keep, kept } from './storage.ts'

/** A page asks again by itself and says so: calls are repeated little. */
export const client = createClient({ baseUrl: location.origin, retries: 1, timeoutMs: 15_000, maxWaitMs: 2_000 })

export interface Site {
  environment: string
  isSandbox: boolean
  name: string
  contact: string | null
  build: string
  /** Scopes in which no new swaps are made. */
  paused: string[]
}

const KEPT = 'site'

/** Null until it is known. What the last visit was told stands until then, so that nothing jumps. */
export const site = signal<Site | null>(kept<Site>(KEPT))

/** What is not part of the typed API: the sandbox's own calls. Throws the message where it refuses. */
export async function ask<Data>(path: string, body?: unknown): Promise<Data> {
  const init = body === undefined ? {} : { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) }
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(30_000) })
  const answer: { data?: Data; error?: { message: string } } = await response.json()
  if (!response.ok || answer.data === undefined) throw new Error(answer.error?.message ?? String(response.status))
  return answer.data
}

const JSON_HEADERS = { 'content-type': 'application/json' }

export async function loadSite(): Promise<void> {
  const { sandbox: isSandbox, ...told } = await client.site()
  site.value = { ...told, isSandbox }
  keep(KEPT, site.value)
}
