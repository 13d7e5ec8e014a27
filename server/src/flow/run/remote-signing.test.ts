/** The service over a signer process: what it signs, and that a rollback stops it until both machines resume it. */
import { appendFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { family } from '../../../../chains/simulated/local/src/index.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { linesOf } from '../../keys/orders/source.ts'
import { openTestSigner, TOKEN } from '../../keys/testing.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { beginSigning } from './begin-signing.ts'
import { beat } from './counters.ts'
import { createSignerWatch } from './signer-watch.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }
let databases: TestDatabase
let signer: Awaited<ReturnType<typeof openTestSigner>>
let folder: string
let env: Record<string, string>
let hand: Hand

beforeEach(async () => {
  databases = await startDatabase()
  const other = await startHand(await databases.createDatabase())
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-remote-'))
  const { catalogue } = other.services
  await other.stop()
  const rules = catalogue.networks.map(({ name, tokens }) => [
    name,
    { tokens: Object.fromEntries(tokens.map(({ symbol }) => [symbol, PLENTY])) },
  ])
  signer = await openTestSigner({
    ...{ catalogue, folder, families: async () => family, keys: testSigner('services') },
    policy: { networks: Object.fromEntries(rules) },
    isClaimed: false,
  })
  writeFileSync(path.join(folder, 'token'), TOKEN)
  env = { SIGNER: 'remote', SIGNER_URL: signer.url, SIGNER_TOKEN_FILE: path.join(folder, 'token') }
  hand = await startHand(databases.url, env)
  await beginSigning(hand.services)
})
afterEach(async () => {
  await hand.stop()
  await signer.stop()
  await databases.stop()
})

/** Another process over this database, with keys and journal in the signer process. */
async function start(url: string): Promise<void> {
  await hand.stop()
  hand = await startHand(url, env, { onOldChains: true })
  // The process before it is gone.
  await hand.services.database.deleteFrom('lease').execute()
  await beginSigning(hand.services)
}

async function payOne(): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  for (let round = 0; round < 2; round++) {
    hand.chain(FROM).mine(7)
    await hand.watch(FROM)
    await hand.runJobs()
    hand.chain(TO).mine(7)
    await hand.watch(TO)
  }
  return swap
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
const stopped = () => hand.services.signing.stopped

test('payouts are signed by the signer process, whose journal has their bytes', async () => {
  expect(received(await payOne())).toBeGreaterThan(0n)
  const [attempt] = await hand.services.database.selectFrom('attempt').selectAll().execute()
  const lines = []
  for await (const { content } of signer.orders.lines(0)) if (content.type === 'signed') lines.push(content)
  expect(lines).toMatchObject([{ hash: attempt?.hash, bytes: attempt?.bytes, purpose: 'new' }])
  await start(databases.url)
  expect(stopped()).toBeNull()
  await beat(hand.services, () => undefined)
  expect((await signer.orders.status()).mark).toHaveProperty(hand.services.signing.writer)
})

test('an answer of the signer that was lost is asked for again: one transaction, paid once', async () => {
  const { signing } = hand.services
  const { orders } = signing
  if (!orders) throw new Error('it does not sign')
  let lost = 0
  signing.orders = {
    ...orders,
    async sign(request) {
      const answer = await orders.sign(request)
      if (lost++ === 0) throw new RetryLater('the connection broke')
      return answer
    },
  }
  const swap = await payOne()
  const { database } = hand.services
  const payout = await database.selectFrom('payout').select('id').executeTakeFirstOrThrow()
  await pay(hand.services, payout.id)
  hand.chain(TO).mine(7)
  expect(lost).toBeGreaterThan(0)
  expect(received(swap)).toBeGreaterThan(0n)
  expect(await database.selectFrom('attempt').select('number').execute()).toHaveLength(1)
  const lines = []
  for await (const { content } of signer.orders.lines(0)) if (content.type === 'signed') lines.push(content)
  expect(lines).toHaveLength(1)
})

test('the health of the signer process says that its journal is broken', async () => {
  const health = async () => (await fetch(`${signer.url}/v1/health`)).status
  expect(await health()).toBe(200)
  // Another process writes to the journal: nothing more can be signed.
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.log')))
    appendFileSync(path.join(folder, name), 'x')
  await payOne()
  expect(await health()).toBe(503)
  await beat(hand.services, () => undefined)
  expect((await signer.orders.status()).isBroken).toBe(true)
})

test('a signer process that is gone is alerted once within seconds, and its return is seen', async () => {
  const { services } = hand
  let aheadMs = 0
  const later = { ...services, now: () => new Date(Date.now() + aheadMs) }
  const watch = createSignerWatch(later)
  const [alerts, up] = [services.metrics.alerts, services.metrics.signerUp]
  const shown = async () => [(await alerts.get()).values[0]?.value ?? 0, (await up.get()).values[0]?.value]
  const turn = async () => {
    await beat(later, () => undefined)
    watch()
  }
  await turn()
  expect(await shown()).toEqual([0, 1])
  const { orders } = services.signing
  if (!orders) throw new Error('it does not sign')
  services.signing.orders = { ...orders, status: () => Promise.reject(new RetryLater('connection refused')) }
  aheadMs = 20_000
  await turn()
  await turn()
  expect(await shown()).toEqual([1, 0])
  services.signing.orders = orders
  await turn()
  expect(await shown()).toEqual([1, 1])
})

test('a database that went back in time stops the signer process, and both machines must resume it', async () => {
  const backup = await databases.copy(databases.url)
  const swap = await payOne()
  const before = received(swap)
  await start(backup)
  expect(stopped()).toBe('rolled_back')
  expect((await signer.orders.status()).state).toBe('rolled_back')
  expect((await fetch(`${signer.url}/v1/health`)).status).toBe(503)
  const journal = await linesOf(signer.orders)
  for (const word of ['--apply', '--resume']) await admin({ ...hand.services, journal }, 'restore', word)
  await expect(beat(hand.services, () => undefined)).rejects.toThrow('npm run signer -- resume')
  expect(stopped()).toBe('rolled_back')
  writeFileSync(path.join(folder, 'resume'), '')
  await beat(hand.services, () => undefined)
  expect(stopped()).toBeNull()
  // The deposit of the lost swap is found again and is not paid for a second time.
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  await hand.runJobs()
  hand.chain(TO).mine(7)
  expect(received(swap)).toBe(before)
})
