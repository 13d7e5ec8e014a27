/** The API's port opens when something can be swapped; otherwise users still reach their swaps. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import { parseConfig, type Service, startService } from '@causeway/server'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startDatabase } from '../../support/database/database.ts'

const QUOTE = `/api/v2/quote?${new URLSearchParams({
  ...{ source_network: 'ETHEREUM_SEPOLIA', source_token: 'ETH' },
  ...{ destination_network: 'BASE_SEPOLIA', destination_token: 'USDC', amount: '0.1' },
})}`
let sandbox: Sandbox
let service: Service | null = null

beforeAll(async () => {
  const only = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']
  sandbox = await startSandbox({ only, runService: false, database: startDatabase, env: { LOG_LEVEL: 'fatal' } })
})
afterEach(() => service?.stop())
afterAll(() => sandbox?.stop())

it('without any price the port opens anyway, is healthy, and reports the missing price', async () => {
  const PRICES_FILE = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-prices-')), 'prices.json')
  writeFileSync(PRICES_FILE, '{}')
  service = await startService(parseConfig({ ...sandbox.env, PRICES_FILE, PORT: '0' }), { offeringTimeoutMs: 500 })
  expect((await fetch(`${service.url}/api/v2/health`)).status).toBe(200)
  const refusal = async () => {
    const answer = await fetch(service?.url + QUOTE)
    return [answer.status, answer.headers.get('retry-after'), (await answer.json()).error.code]
  }
  // The networks may not have been scanned yet, which is reported first.
  await expect.poll(refusal, { timeout: 20_000 }).toEqual([503, '2', 'PRICE_UNAVAILABLE'])
})

it('the first request that the port takes can be quoted', async () => {
  service = await startService(parseConfig({ ...sandbox.env, PORT: '0' }))
  const lists = await fetch(`${service.url}/api/v2/sources`)
  expect((await lists.json()).data.length).toBeGreaterThan(0)
  const settled = async () => (await fetch((service?.url ?? '') + QUOTE)).status
  // The other network may be ready later: it answers "not ready", never "no route".
  const first = await settled()
  expect([200, 503]).toContain(first)
  await expect.poll(settled, { timeout: 20_000 }).toBe(200)
})
