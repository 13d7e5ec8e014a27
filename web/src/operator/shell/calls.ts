/** The console's API calls: same origin, with a session token that only this page knows. Without a session the login is shown. */
import { signal } from '@preact/signals'

export interface Seat {
  name: string
  role: string
  token: string
  fresh_until: string
}
export interface Told {
  tables: { heads: string[]; rows: string[][] }[]
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

interface Waiting {
  kind: 'held' | 'owed' | 'unmatched' | 'request'
  id: string
  swap: string | null
  network: string
  amount: string
  units: string
  symbol: string
  usd: number | null
  since: string
  reason: string
}
export interface Overview {
  now: string
  /** Profit and loss in dollars of the last 24 hours. */
  result: { earned: number; spent: number; usd: number; is_partial: boolean }
  motion: { paid: number; newest: string | null; under_way: number }
  /** Webhooks given up in the last 24 hours. */
  given_up: number
  waiting: Waiting[]
  retrying: number
  paused: { scope: string; reason: string; swaps: boolean; payouts: boolean; at: string }[]
  halted: { network: string; account: string; reason: string; at: string }[]
  wallets: {
    network: string
    amount: string
    units: string
    symbol: string
    usd: number | null
    account: string
    /** Whether the balance matches the ledger; null before the ledger was opened. */
    agrees: boolean | null
    seen_at: string
    /** The wanted minimum in dollars; null if not set. */
    floor: number | null
    /** The lowest maximum that applies, in dollars; null if not set. */
    ceiling: number | null
    /** The scope of limits for this token; null if it is no longer listed. */
    scope: string | null
    is_low: boolean
    /** A network that has more of the same token than its minimum. */
    move_from: { network: string; amount: string; symbol: string } | null
  }[]
  /** `name`: as the pages show it. */
  feeds: {
    network: string
    name: string
    head: number | null
    head_at: string | null
    price: number | null
    symbol: string
  }[]
}

export interface Feeds {
  now: string
  sources: string[]
  networks: {
    network: string
    head: number | null
    head_at: string | null
    nodes: { node: string; trouble: string | null; failures: number; differed: number; rests: boolean }[]
    cost: Amount | null
    token_cost: Amount | null
    cost_at: string | null
  }[]
  prices: { group: string; usd: number | null; at: string | null; answered: number | null; asked: number }[]
}
interface Amount {
  amount: string
  symbol: string
  usd: number | null
}
