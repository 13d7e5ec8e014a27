/**
 * Notifications to clients, through the whole service on local chains: webhooks and the event stream report a swap's
 * whole history in order, although the process is killed with SIGKILL in between.
 */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { createClient, verifyWebhook } from '@causeway/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../../../server/src/store/db/database.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { keyOf } from '../../support/service/accounts.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'

const CHILD = path.join(import.meta.dirname, '../../support/processes/crash-child.ts')
const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'

let world: World
let receiver: Receiver
const children: ChildProcess[] = []

beforeAll(async () => {
  world = await startWorld({}, false)
  receiver = await startReceiver()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await receiver.stop()
  await world.stop()
})

async function serve(crashAt?: string): Promise<ChildProcess> {
  const child = fork(CHILD, {
    env: { ...process.env, ...world.sandbox.env, ...(crashAt ? { CRASH_AT: crashAt } : {}) },
  })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it listened`)))
  })
  return child
}

it('killed after the broadcast, webhooks and event streams still report everything in order', async () => {
  const doomed = await serve('after:broadcast')
  const killed = new Promise((resolve) => doomed.once('exit', (_, signal) => resolve(signal)))
  const database = openDatabase(world.sandbox.databaseUrl)
  const apiKey = await keyOf({ database, now: () => new Date() }, 'shop')
  await database.destroy()
  const client = createClient({ baseUrl: world.sandbox.url, apiKey, retries: 10 })
  const { secret } = await client.addWebhook(receiver.url)
  const created = await eventually(() =>
    client.createSwap({
      source_network: FROM,
      source_token: 'ETH',
      destination_network: TO,
      destination_token: 'USDC',
      destination_address: world.stranger(),
      amount: 0.1,
    }),
  )
  const watched: string[] = []
  const watching = (async () => {
    for await (const { swap } of client.watchSwap(created.swap.id, { pollMs: 200 })) {
      if (swap.status !== watched.at(-1)) watched.push(swap.status)
    }
  })()
  const [action] = created.deposit_actions
  if (!action) throw new Error('the swap has no deposit action')
  await world.deposit(world.token(FROM, 'ETH'), action)
  expect(await killed).toBe('SIGKILL')
  await serve()
  await watching
  expect(watched).toEqual(['user_transfer_pending', 'ls_transfer_pending', 'completed'])
  await eventually(async () => receiver.statuses().includes('completed'))
  expect([...new Set(receiver.statuses())]).toEqual(['ls_transfer_pending', 'completed'])
  for (const { body, headers } of receiver.received) {
    expect(await verifyWebhook({ body, headers, secret })).toMatchObject({ data: { swap: { id: created.swap.id } } })
  }
})
