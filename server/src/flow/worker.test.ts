/** Who counts as dead: only workers whose process is gone. One that lives, however slow it is, keeps its jobs and its lanes. */
import type { ChainAdapter } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { startServices, type TestServices } from '../../../tests/support/services.ts'
import { addJob, hintJob, isWorkerGone, lockedWorkers } from '../store/jobs.ts'
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
  over.abort()
  await working
  expect(await isWorkerGone(services.database, worker)).toBe(true)
})
