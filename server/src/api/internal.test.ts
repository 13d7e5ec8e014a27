/** The internal port: readiness and metrics. */
import { tokenKey } from '@causeway/core'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../tests/support/service/api.ts'
import { takeLease } from '../store/db/leases.ts'
import { insertReturn } from '../store/deposits/unmatched.ts'
import { readReadings, saveReading } from '../store/market/market-snapshots.ts'
import { savePosition } from '../store/watch/cursors.ts'
import { createInternal } from './internal.ts'

let api: TestApi
let internal: FastifyInstance
beforeAll(async () => {
  api = await startApi()
  internal = createInternal(api.services)
})
afterAll(async () => {
  await internal.close()
  await api.stop()
})

test('ready means that prices are known, nodes answer and every network is watched', async () => {
  const before = await internal.inject('/ready')
  expect(before.statusCode).toBe(503)
  expect(before.json()).toMatchObject({ ready: false, database: true, prices: true })
  const { database, catalogue } = api.services
  for (const { name } of catalogue.networks) {
    await takeLease(database, `watch:${name}`, crypto.randomUUID(), 60_000)
    const position = { cursor: 'x', recheckFrom: null }
    await savePosition(database, name, position, { number: 7n, hash: 'h' }, new Date())
  }
  const after = await internal.inject('/ready')
  expect(after.statusCode).toBe(200)
  expect(after.json().networks[0]).toMatchObject({ name: 'ALPHA', watched: true, node_answers: true, head: 7 })
  // A load balancer must not get a process whose public port is still closed.
  const early = createInternal(api.services, () => false)
  const answer = await early.inject('/ready')
  await early.close()
  expect([answer.statusCode, answer.json().ready]).toEqual([503, false])
})

test('it is not ready while no node of a network answers, the signer does not work or the clock is wrong', async () => {
  const ready = async (changed: Partial<TestApi['services']>) => {
    const changedServer = createInternal({ ...api.services, ...changed })
    const answer = await changedServer.inject('/ready')
    await changedServer.close()
    return answer
  }
  const { chains, signing, now, clock } = api.services
  expect((await ready({})).statusCode).toBe(200)
  const [[name, chain] = []] = chains
  if (!name || !chain) throw new Error('there is no network')
  const [node] = chain.nodeHealth()
  const dead = { ...chain, nodeHealth: () => [{ ...(node ?? { name: 'node' }), trouble: 'timeout' }] } as typeof chain
  const unread = await ready({ chains: new Map([...chains, [name, dead]]) })
  expect(unread.statusCode).toBe(503)
  expect(unread.json().networks[0]).toMatchObject({ name, node_answers: false })
  const minuteAgo = new Date(now().getTime() - 60_000)
  const silent = await ready({ signing: { ...signing, workedAt: minuteAgo } })
  expect([silent.statusCode, silent.json().signer]).toEqual([503, false])
  const skewed = await ready({ clock: { ...clock, isTrusted: () => false } })
  expect([skewed.statusCode, skewed.json().clock]).toEqual([503, false])
})

test('requests are counted by route and status', async () => {
  await api.server.inject('/api/v2/networks')
  await api.server.inject('/nowhere')
  const { body, headers } = await internal.inject('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(body).toMatch(
    /causeway_http_request_seconds_count\{method="GET",route="\/api\/v2\/networks",status="200"\} \d+/,
  )
  expect(body).toContain('route="unknown",status="404"')
})

test('waiting money is exported as gauges: 0 if nothing waits', async () => {
  const { body } = await internal.inject('/metrics')
  const names = ['payouts_held', 'payout_oldest_seconds', 'swaps_owed', 'deposits_unmatched']
  for (const name of names) expect(body).toMatch(new RegExp(`^causeway_${name} 0$`, 'm'))
  const { database } = api.services
  const made = {
    ...{ network: 'ALPHA', tx_hash: 'tx', index: 0, block_number: 1n, block_hash: 'x', token: 'native', units: 1n },
    ...{ from_address: null, to_address: 'us', reference: null, swap_id: null, confirmations_wanted: 1 },
  }
  const waiting = { ...made, state: 'confirmed' as const }
  const deposit = await database.insertInto('deposit').values(waiting).returningAll().executeTakeFirstOrThrow()
  const unmatched = (await internal.inject('/metrics')).body
  expect(unmatched).toMatch(/^causeway_deposits_unmatched 1$/m)
  const token = api.services.catalogue.network('ALPHA').nativeToken
  const now = new Date(Date.now() - 1_000)
  await insertReturn(database, { deposit, token, account: 'us', to: 'a', units: 1n, keptUnits: 0n, now })
  const after = (await internal.inject('/metrics')).body
  expect(Number(/^causeway_payout_oldest_seconds (\S+)$/m.exec(after)?.[1])).toBeGreaterThan(0)
})

test('wallet balances are exported by network and token, with the time of the last reading', async () => {
  const { database, catalogue } = api.services
  const [token] = catalogue.network('ALPHA').tokens.filter(({ symbol }) => symbol === 'USDC')
  const balances = new Map([
    [token ? tokenKey(token) : '', 1_234_567_890n],
    ['0xno-longer-listed', 5n],
  ])
  const at = new Date('2026-03-01T12:00:00Z')
  const [reading] = (await readReadings(database)).filter(({ network }) => network === 'ALPHA')
  if (!reading) throw new Error('nobody has read ALPHA')
  await saveReading(database, { ...reading, balances, at })
  const { body } = await internal.inject('/metrics')
  const told = body.split('\n').filter((line) => /^causeway_wallet_\w+\{network="ALPHA"/.test(line))
  expect(told.toSorted()).toEqual([
    `causeway_wallet_balance{network="ALPHA",token="USDC",contract="${token?.contract}"} 1234.56789`,
    'causeway_wallet_read_timestamp_seconds{network="ALPHA"} 1772366400',
  ])
})
