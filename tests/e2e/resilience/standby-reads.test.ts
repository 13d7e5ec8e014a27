/**
 * `DATABASE_READ_URL` with a real standby: it answers lists and polling, and no client sees an older state than it was told, whether the
 * standby lags, stops or is promoted.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseConfig, type Service, startService } from '@causeway/server'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FailingCluster, startFailingCluster } from '../../support/database/failing-cluster.ts'
import { SLOW_MS } from '../../support/processes/users.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { clientOf } from '../../support/service/client.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const

let cluster: FailingCluster
let standby: Awaited<ReturnType<FailingCluster['addStandby']>>
let world: World
let service: Service
let url: string

beforeAll(async () => {
  cluster = await startFailingCluster()
  const database = async () => ({ url: cluster.url, stop: async () => undefined })
  const journal = mkdtempSync(path.join(tmpdir(), 'causeway-standby-'))
  world = await startWorld({ JOURNAL_FOLDER: journal, ANSWER_CACHE_MS: '0' }, false, [FROM, TO], undefined, database)
  standby = await cluster.addStandby(false)
  const env = { ...world.sandbox.env, DATABASE_READ_URL: standby.url, PORT: '0' }
  service = await startService(parseConfig(env), { isSandbox: true })
  url = service.url ?? ''
}, SLOW_MS)
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await cluster?.stop()
}, SLOW_MS)

async function create(): Promise<{ id: string; recipient: string }> {
  const recipient = world.stranger()
  const { swap } = await clientOf(url).create({
    ...{ source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' },
    ...{ destination_address: recipient, amount: 0.01 },
  })
  return { id: swap.id, recipient }
}

async function data<T>(place: string): Promise<T> {
  const response = await fetch(`${url}/api/v2${place}`)
  expect([place, response.status]).toEqual([place, 200])
  return ((await response.json()) as { data: T }).data
}

/** A swap, and every way to read it at once, as its client does. */
async function expectSeen(): Promise<void> {
  const { id, recipient } = await create()
  const listed = await data<{ swap: { id: string } }[]>(`/swaps?address=${recipient}`)
  expect(listed.map(({ swap }) => swap.id)).toEqual([id])
  expect((await data<{ swap: { id: string } }>(`/swaps/${id}`)).swap.id).toBe(id)
  await data(`/swaps/${id}/progress`)
}

async function reads(server: 'standby' | 'primary'): Promise<number> {
  const { values } = await service.services.metrics.reads.get()
  return values.find(({ labels }) => labels.server === server)?.value ?? 0
}

async function onStandby(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: standby.url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

it('the standby answers, and has each swap that was just made', async () => {
  // On a busy machine it may lag for a moment, and the primary answers instead.
  while ((await reads('standby')) < 20) await expectSeen()
})

it('many clients at once see their own swaps', async () => {
  await Promise.all(Array.from({ length: 12 }, expectSeen))
})

it('a standby that lags answers nothing; when it has caught up, it answers again', async () => {
  await onStandby('select pg_wal_replay_pause()')
  const before = await reads('standby')
  for (let n = 0; n < 3; n++) await expectSeen()
  expect(await reads('standby')).toBe(before)
  await onStandby('select pg_wal_replay_resume()')
  await eventually(async () => {
    await expectSeen()
    return (await reads('standby')) > before
  }, 'the standby to answer again')
})

it('a server that was promoted is not read', async () => {
  await onStandby('select pg_promote()')
  const before = await reads('standby')
  for (let n = 0; n < 3; n++) await expectSeen()
  expect(await reads('standby')).toBe(before)
})
