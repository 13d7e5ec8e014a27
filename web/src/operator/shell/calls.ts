/** The console's API calls: same origin, with a session token that only this page knows. Without a session the login is shown. */
import { signal } from '@preact/signals'
import type { Feeds, Overview } from './answers.ts'

export interface Seat {
  name: string
  role: string
  token: string
  fresh_until: string
}
export interface Told {
  /** `total`: the sums of the rows, in dollars. */
  tables: { heads: string[]; rows: string[][]; total?: string[] }[]
  lines: string[]
  /** Base units of amounts, keyed by their shown text. */
  units: Record<string, string>
  /** The request that another person must confirm, if the action needs one. */
  asked: string | null
}
export interface Act {
  noun: string
  verb: string
  names?: string[]
  values: Record<string, string>
}

/** The logged-in operator; undefined until known, null if not logged in. */
export const seat = signal<Seat | null | undefined>(undefined)
export const sandbox = signal<{ name: string; password: string } | null>(null)
/** Whether a session ended on this page. */
export const wasAway = signal(false)

export class CallError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const PATIENCE_MS = 30_000

export async function call<Data>(path: string, body?: unknown): Promise<Data> {
  const headers = { 'content-type': 'application/json', 'x-operator-token': seat.value?.token ?? '' }
  const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`/operator/api${path}`, { ...sent, signal: AbortSignal.timeout(PATIENCE_MS) })
  const answer: { data?: Data; error?: { code: string; message: string } } = await response.json()
  if (response.ok && answer.data !== undefined) return answer.data
  const { code, message } = answer.error ?? { code: 'FAILED', message: String(response.status) }
  if (code === 'NO_SESSION') {
    wasAway.value = seat.value != null
    seat.value = null
  }
  throw new CallError(code, message)
}

export async function findSeat(): Promise<void> {
  const told = await call<{ session: Seat | null; sandbox: typeof sandbox.value }>('/session')
  sandbox.value = told.sandbox
  seat.value = told.session
}

export async function logIn(given: { name: string; password: string; code: string }): Promise<void> {
  seat.value = (await call<{ session: Seat }>('/login', given)).session
}

export async function logOut(): Promise<void> {
  await call('/logout', {})
  wasAway.value = false
  seat.value = null
}

export const prove = (given: { password: string; code: string }) => call('/prove', given)
export const openInvite = (invite: string) =>
  call<{ name: string; role: string; code_secret: string; code_address: string; sign: string | null }>('/invite', {
    invite,
  })
export const acceptInvite = (given: { invite: string; password: string; code: string; signature: string }) =>
  call('/invite/accept', given)
export const loadOverview = () => call<Overview>('/overview')
export const loadFeeds = () => call<Feeds>('/feeds')
export const loadScopes = () => call<string[]>('/scopes')
export const act = (asked: Act, reason: string) => call<Told>('/act', { ...asked, reason })

export function look(noun: string, verb: string, values: Record<string, string> = {}): Promise<Told> {
  const query = new URLSearchParams(values).toString()
  return call<Told>(`/look/${noun}/${verb}${query && `?${query}`}`)
}
