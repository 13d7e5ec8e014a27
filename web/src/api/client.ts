/** The API client: always the origin that served the page. */
import { createClient } from '@causeway/sdk/light'
import { signal } from '@preact/signals'
import { observedFetch } from './answering.ts'
import { keep, kept } from './storage.ts'

/** Pages poll and show errors themselves, so calls retry little. */
export const client = createClient({
  baseUrl: location.origin,
  fetch: observedFetch,
  retries: 1,
  timeoutMs: 15_000,
  maxWaitMs: 2_000,
})

export interface Site {
  environment: string
  isSandbox: boolean
  name: string
  operator: string | null
  contact: string | null
  terms: string | null
  privacy: string | null
  imprint: string | null
  build: string
  /** Scopes in which no new swaps are created. */
  paused: string[]
}

const KEPT = 'site'

/**
 * Information about the site; null until loaded. Starts with the value of the last visit, so that the layout does not
 * jump.
 */
export const site = signal<Site | null>(kept<Site>(KEPT))

/** Calls the sandbox's API, which is outside the typed client. Throws the service's error message. */
export async function ask<Data>(path: string, body?: unknown): Promise<Data> {
  const init = body === undefined ? {} : { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) }
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(30_000) })
  const answer: { data?: Data; error?: { message: string } } = await response.json()
  if (!response.ok || answer.data === undefined) throw new Error(answer.error?.message ?? String(response.status))
  return answer.data
}

const JSON_HEADERS = { 'content-type': 'application/json' }

let loading: Promise<Site> | null = null

/** Loads the site information once per visit; a failed attempt is repeated. */
export function loadSite(): Promise<Site> {
  loading ??= readSite().catch((error) => {
    loading = null
    throw error
  })
  return loading
}

async function readSite(): Promise<Site> {
  const { sandbox: isSandbox, ...told } = await client.site()
  const found = { ...told, isSandbox }
  site.value = found
  keep(KEPT, found)
  return found
}
