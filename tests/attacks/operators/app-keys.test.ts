/**
 * Attacks B1 and B4: under dual control one admin makes a secret key of an app and names a refund address with it; and a
 * private key that is pasted at the console must not be stored.
 */
import { generateKeyPairSync } from 'node:crypto'
import { CreatedSwap, Nothing } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import type { CommandContext } from '../../../server/src/admin/context/command-context.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { applyEvent } from '../../../server/src/flow/swap/advance.ts'
import { rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import { admin, found, keyOf } from '../../support/service/accounts.ts'
import { post as call, startApi, type TestApi } from '../../support/service/api.ts'
import { openConsole, post, type TestConsole } from '../../support/service/console.ts'
import { confirmDeposit, openPayouts, seeDeposit, takeAddresses } from '../../support/service/progress.ts'

const USDC = 1_000_000n
const KEY = /causeway_testnet_[\w-]{43}/
const thief = accountFrom('thief').address
const recipient = accountFrom('recipient').address

let api: TestApi
let desk: TestConsole
let later = 0
let shop: Record<string, string>
beforeAll(async () => {
  api = await startApi({ FOUR_EYES_USD: '10' }, () => new Date(Date.now() + later))
  const { services } = api
  shop = { 'x-ls-apikey': await keyOf(services, 'shop') }
  desk = openConsole(services, (ms) => {
    later += ms
  })
  for (const name of ['mallory', 'bob']) await desk.person(name, 'admin')
  await rememberDualControl(services.database, 10)
})
afterAll(async () => {
  await desk.server.close()
  await api.stop()
})

async function does(who: string, ...words: string[]): Promise<string> {
  const lines: string[] = []
  const { database, now } = api.services
  const worth: CommandContext['worth'] = (_network, _token, units) => Number(units) / Number(USDC)
  const own = { actor: who, role: 'admin', sign: () => '', worth, print: (line: string) => lines.push(line) } as const
  await runCommand({ database, now, fourEyesUsd: 10, ...own }, words)
  return lines.join('\n')
}
const idIn = (printed: string) => /--id ([0-9a-f-]{36})/.exec(printed)?.[1] ?? ''

/** A swap of the shop that owes this many units of USDC: its sender cannot be refunded. */
async function owed(units: bigint): Promise<string> {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, destination_address: recipient, use_deposit_address: true, amount: 100 }
  const { swap } = await api.ask(CreatedSwap, { ...call('/api/v2/swaps', body), headers: shop })
  await confirmDeposit(
    api.services,
    swap.id,
    await seeDeposit(api.services, swap.id, { refundableSender: null }, units),
  )
  return swap.id
}
const name = async (id: string) => {
  const headers = { ...shop, 'content-type': 'application/json' }
  await api.ask(Nothing, { ...call(`/api/v2/swaps/${id}/refund_address`, { refund_address: thief }), headers })
  await takeAddresses(api.services)
}
const paidTo = async (id: string) => (await openPayouts(api.services, id)).map(({ to_address }) => to_address)

test('one admin alone gets no secret key; a public one needs no second person', async () => {
  const create = ['key', 'create', '--app', 'shop', '--environment', 'testnet'] as const
  const asked = await does('mallory', ...create)
  expect(asked).toContain('another person confirms')
  expect(asked).not.toMatch(KEY)
  await expect(does('mallory', 'request', 'confirm', '--id', idIn(asked))).rejects.toThrow('another person')
  expect(await does('bob', 'request', 'confirm', '--id', idIn(asked))).toMatch(KEY)
  expect(await does('mallory', ...create, '--kind', 'public')).toMatch(/causeway_testnet_public_/)
})

test('nor by rotating one that exists', async () => {
  const id = found(
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
    await admin(api.services, 'key', 'list', '--app', 'shop'),
  )
  const asked = await does('mallory', 'key', 'rotate', '--id', id)
  expect(asked).not.toMatch(KEY)
  expect(await does('bob', 'request', 'confirm', '--id', idIn(asked))).toMatch(KEY)
})

test('the holder of a key sends no more alone than one operator may', async () => {
  const id = await owed(60_000n * USDC)
  await name(id)
  await name(id)
  expect(await paidTo(id)).toEqual([])
  const rows = (await does('bob', 'request', 'list')).split('\n').filter((line) => line.includes('swap refund'))
  expect(rows).toHaveLength(1)
  expect(rows[0]).toContain(thief)
  // The one who confirms it is the first person, not the second.
  const request = found(/^[0-9a-f-]{36}/, rows[0] ?? '')
  const asked = await does('mallory', 'request', 'confirm', '--id', request)
  expect(asked).toContain('another person confirms')
  await takeAddresses(api.services)
  expect(await paidTo(id)).toEqual([])
  await expect(does('mallory', 'request', 'confirm', '--id', idIn(asked))).rejects.toThrow('another person')
  await does('bob', 'request', 'confirm', '--id', idIn(asked))
  await takeAddresses(api.services)
  expect(await paidTo(id)).toEqual([thief])
})

test('below the threshold an app names its address as before', async () => {
  const id = await owed(900_000n)
  await applyExpiry(id)
  await name(id)
  expect(await paidTo(id)).toEqual([thief])
})

/** A swap of the shop with an ordered output, and this many dollars that arrived too late for it. */
async function owedBeside(usd: bigint): Promise<string> {
  const id = await owed(100n * USDC)
  await applyEvent(api.services, id, { type: 'tick' })
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: null }, usd * USDC))
  return id
}

test('what an app names within a day counts together', async () => {
  shop = { 'x-ls-apikey': await keyOf(api.services, 'fair') }
  const [first, second, third] = [await owedBeside(6n), await owedBeside(5n), await owedBeside(3n)]
  for (const id of [first, second, third]) await name(id)
  const returns = async (id: string) => (await paidTo(id)).filter((to) => to === thief)
  expect(await Promise.all([first, second, third].map(returns))).toEqual([[thief], [], [thief]])
  later += 24 * 3_600_000
  await api.services.refresh()
  await name(second)
  expect(await returns(second)).toEqual([thief])
})

test('a part that is promised to the recipient counts: an operator could reject it', async () => {
  shop = { 'x-ls-apikey': await keyOf(api.services, 'bazaar') }
  const id = await owed(100n * USDC)
  await applyEvent(api.services, id, { type: 'tick' })
  // Five dollars were in excess and wait for a refund address.
  const units = 105n * USDC
  await api.services.database.updateTable('deposit').set({ units }).where('swap_id', '=', id).execute()
  await name(id)
  const output = (await openPayouts(api.services, id)).find(({ kind }) => kind === 'output')
  await does('mallory', 'payout', 'reject', '--id', output?.id ?? '')
  await pay(api.services, output?.id ?? '')
  expect(await paidTo(id)).toEqual([])
})

/** Too little for the swap: it is owed once the window has passed. */
async function applyExpiry(id: string): Promise<void> {
  later += 8 * 24 * 3_600_000
  await api.services.refresh()
  await applyEvent(api.services, id, { type: 'tick' })
}

test('a private key is refused at the console and stored nowhere', async () => {
  const seat = await desk.seat('mallory')
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const add = { noun: 'operator', verb: 'add', names: ['eve'], values: { role: 'admin', key: pem }, reason: 'new' }
  expect(await desk.refused(post('/act', add, seat))).toEqual([400, 'NOT_VALID'])
  const secret = pem.split('\n')[1] ?? 'missing'
  const rows = await api.services.database.selectFrom('audit_log').selectAll().execute()
  const requests = await api.services.database.selectFrom('request').selectAll().execute()
  expect(JSON.stringify(rows.map(({ data }) => data))).not.toContain(secret)
  expect(JSON.stringify(requests.map(({ words }) => words))).not.toContain(secret)
})

test('a private key is stored nowhere by the command line, however often --key is given', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const add = ['operator', 'add', 'gil', '--role', 'admin']
  for (const more of [
    [`--key=${key}`, `--key=${pem}`],
    ['--key', key, '--key', pem],
    ['--key', key, `--key=${pem}`],
  ])
    await expect(does('mallory', ...add, ...more)).rejects.toThrow('private key')
  const requests = await api.services.database.selectFrom('request').selectAll().execute()
  expect(JSON.stringify(requests.map(({ words }) => words))).not.toContain(pem.split('\n')[1] ?? 'missing')
  expect(await does('mallory', ...add, '--key', key)).toContain('another person confirms')
})

test('a public key that is asked for is logged as it is stored', async () => {
  const seat = await desk.seat('bob')
  const { publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const add = { noun: 'operator', verb: 'add', names: ['frank'], values: { role: 'admin', key }, reason: 'new' }
  await desk.told(post('/act', add, seat))
  const rows = await api.services.database
    .selectFrom('audit_log')
    .select('data')
    .where('action', '=', 'asked for')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  expect(rows[0]?.data).toMatchObject({ words: expect.arrayContaining([`--key=${key}`]) })
})
