/**
 * Crash detection: only workers whose process is gone count as crashed. A slow but living one keeps its jobs and
 * queues; and a hanging call takes no other's worker.
 */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { addJob, hintJob, isWorkerGone, laneOf, lockedWorkers } from '../../store/db/jobs.ts'
import { insertCall } from '../../store/swaps/gasless.ts'
import { runWorker } from './worker.ts'

let services: TestServices
let stop: () => Promise<void>

beforeAll(async () => {
  const database = await startDatabase()
  services = await startServices(database.url)
  stop = async () => {
    await services.stop()
    await database.stop()
  }
})
afterAll(() => stop())

test('a worker that lives shows it under the name that its jobs are locked with', async () => {
  let answer: () => void = () => undefined
  const silence = new Promise<void>((resolve) => (answer = resolve))
  const alpha = services.chains.get('ALPHA')
  const slow = { ...alpha, inspect: () => silence.then(() => ({ state: 'unknown' })) } as ChainAdapter
  const over = new AbortController()
  const working = runWorker({ ...services, chains: new Map([['ALPHA', slow]]) }, over.signal)
  await addJob(services.database, hintJob('ALPHA', 'x'))
  const worker = await eventually(async () => (await lockedWorkers(services.database))[0], 'the job to be taken')
  await eventually(async () => !(await isWorkerGone(services.database, worker)), 'the worker to count as alive')
  answer()
  await untilPutDown()
  over.abort()
  await working
  expect(await isWorkerGone(services.database, worker)).toBe(true)
})

/** The queue does not wait at its end for what it still has to write about jobs that were run. */
const untilPutDown = () =>
  eventually(async () => (await lockedWorkers(services.database)).length === 0, 'the jobs to be put down')

/** An order of a network's wallet that moves nothing, with its job. */
async function orderCall(network: string): Promise<string> {
  const chain = services.chains.get(network)
  if (!chain) throw new Error('no such network')
  const { id, account } = await insertCall(services.database, {
    ...{
      kind: 'admin',
      token: { ...chain.network.nativeToken, network },
      units: 0n,
      account: chain.treasury,
      to: chain.treasury,
    },
    ...{ call: 'nothing', now: services.now() },
  })
  await addJob(services.database, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) })
  return id
}

test('hanging nodes of a network, and foreign hints that hang, delay no other network’s payouts', async () => {
  let answer: () => void = () => undefined
  const silence = new Promise<never>((_, reject) => (answer = () => reject(new RetryLater('the node answers at last'))))
  silence.catch(() => undefined)
  const asked: string[] = []
  // Many networks hang, and one does not.
  const hanging = Array.from({ length: 12 }, (_, number) => `HANGING_${number}`)
  const [alpha, beta] = [services.chains.get('ALPHA'), services.chains.get('BETA')]
  if (!alpha || !beta) throw new Error('no chains')
  const deaf = (name: string): ChainAdapter => ({
    ...alpha,
    network: { ...alpha.network, name },
    prepare() {
      asked.push(name)
      return silence
    },
    inspect: () => silence,
  })
  const healthy: ChainAdapter = {
    ...beta,
    prepare() {
      asked.push('BETA')
      return Promise.reject(new RetryLater('it was asked, and that is all'))
    },
  }
  const chains = new Map<string, ChainAdapter>([
    ...hanging.map((name) => [name, deaf(name)] as const),
    ['BETA', healthy],
  ])
  const before = services.chains
  Object.assign(services, { chains })
  const over = new AbortController()
  const connections = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity where datname = current_database()`.execute(services.database)
    return rows[0]?.count ?? 0
  }
  const idle = await connections()
  const working = runWorker(services, over.signal)
  for (const name of hanging) {
    for (let hint = 0; hint < 3; hint++) await addJob(services.database, hintJob(name, `${hint}`))
    await orderCall(name)
  }
  await eventually(async () => hanging.every((name) => asked.includes(name)), 'all that hang to be asked')
  await orderCall('BETA')
  await eventually(async () => asked.includes('BETA'), 'the healthy one to be asked')
  // The workers' own and the heartbeat; the services' pool was counted before, or is bounded.
  expect((await connections()) - idle).toBeLessThanOrEqual(11 + 16)
  answer()
  await untilPutDown()
  over.abort()
  await working
  Object.assign(services, { chains: before })
})
