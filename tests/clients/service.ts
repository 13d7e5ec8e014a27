/** The sandbox for the clients' compatibility tests, and requests as each kind of client makes them. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import { expect } from 'vitest'
import type { z } from 'zod'
import { startDatabase } from '../support/database/database.ts'

export const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']
const ONLY = [FROM, TO, 'SOLANA_DEVNET', 'BITCOIN_TESTNET', 'TON_TESTNET']

/** One entry in each list that is empty by default, so that entries are read too. */
const CAMPAIGNS = [
  {
    name: 'spring',
    display_name: 'Spring',
    type: 'default',
    token: { network: TO, symbol: 'USDC' },
    fee_share: 0.5,
    budget: '1000',
    starts_at: '2020-01-01T00:00:00Z',
    ends_at: '2099-01-01T00:00:00Z',
  },
]
const EXCHANGES = [
  {
    name: 'KRAKEN',
    display_name: 'Kraken',
    listing_date: '2024-01-01T00:00:00Z',
    oauth: { authorize_url: 'https://exchange.example/authorize', connect_url: 'https://exchange.example/connect' },
    withdrawals: { [FROM]: ['ETH', 'USDC'] },
  },
]

export function startOne(): Promise<Sandbox> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-clients-'))
  const fileOf = (name: string, content: unknown) => {
    const file = path.join(folder, name)
    writeFileSync(file, JSON.stringify(content))
    return file
  }
  const env = {
    LOG_LEVEL: 'fatal',
    CAMPAIGNS_FILE: fileOf('campaigns.json', CAMPAIGNS),
    EXCHANGES_FILE: fileOf('exchanges.json', EXCHANGES),
  }
  return startSandbox({ only: ONLY, env, database: startDatabase })
}

interface Answer {
  status: number
  headers: Headers
  text: string
}

/** A repeated parameter is one pair per value. */
export type Query = readonly (readonly [string, string])[]

export interface Caller {
  /** The whole response, whatever its status. */
  send(method: string, at: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The `data` of a success, which must have the shape that the client reads. */
  read<Shape extends z.ZodType>(shape: Shape, at: string, query?: Query): Promise<z.output<Shape>>
  make<Shape extends z.ZodType>(shape: Shape, at: string, body: unknown): Promise<z.output<Shape>>
  /** `error` of a failure, as axios clients read it. */
  refused(
    method: string,
    at: string,
    body?: unknown,
  ): Promise<{ status: number; code: string; message: string; metadata: Record<string, unknown> }>
}

export function callerOf(base: string, headers: Record<string, string> = {}): Caller {
  const send: Caller['send'] = async (method, at, body, more = {}) => {
    const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(base + at, { method, headers: { ...headers, ...typed, ...more }, ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const dataOf = <Shape extends z.ZodType>(shape: Shape, { status, text }: Answer): z.output<Shape> => {
    expect(status, text).toBe(200)
    const answer = JSON.parse(text)
    // Clients throw if `error` is truthy or `data` is null.
    expect(answer.error ?? null).toBe(null)
    expect(answer.data ?? null).not.toBe(null)
    return shape.parse(answer.data)
  }
  return {
    send,
    read: async (shape, at, query = []) => dataOf(shape, await send('GET', at + suffixOf(query))),
    make: async (shape, at, body) => dataOf(shape, await send('POST', at, body)),
    async refused(method, at, body) {
      const { status, text } = await send(method, at, body)
      expect(status, text).toBeGreaterThanOrEqual(400)
      const { error } = JSON.parse(text)
      expect(error).toEqual({ code: expect.any(String), message: expect.any(String), metadata: expect.any(Object) })
      return { status, ...error }
    },
  }
}

export function suffixOf(query: Query): string {
  return query.length === 0 ? '' : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`
}

/** The four fields of a route as query pairs. */
export function routeQuery(sourceToken = 'ETH', destinationToken = 'ETH'): Query {
  return [
    ['source_network', FROM],
    ['source_token', sourceToken],
    ['destination_network', TO],
    ['destination_token', destinationToken],
  ]
}
