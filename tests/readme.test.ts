/** The programs in the SDK's README, run as they stand there against a service that completes every swap. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWebhookSecret } from '../server/src/apps/accounts.ts'
import { keyOf } from './support/accounts.ts'
import { startApi, type TestApi } from './support/api.ts'
import { movesOf } from './support/moves.ts'
import { startReceiver } from './support/receiver.ts'

const SDK = path.join(import.meta.dirname, '../sdk')
const programs = [...readFileSync(path.join(SDK, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code = '']) => code,
)
/** The README speaks of real networks; the test has simulated ones. */
const STAND_INS: Record<string, string> = {
  ETHEREUM_SEPOLIA: 'ALPHA',
  BASE_SEPOLIA: 'BETA',
  "'ETH'": "'SIM'",
}

let api: TestApi
let url: string
let recipient: string
let moving: NodeJS.Timeout
beforeAll(async () => {
  api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' })
  url = await api.server.listen({ port: 0, host: '127.0.0.1' })
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  moving = setInterval(() => moveAll().catch(() => undefined), 200)
})
afterAll(async () => {
  clearInterval(moving)
  await api.stop()
})

/** Stands in for depositors and chains. */
async function moveAll(): Promise<void> {
  const swaps = await api.services.database.selectFrom('swap').select(['id', 'status']).execute()
  for (const { id, status } of swaps) {
    if (status === 'user_transfer_pending') await movesOf(api.services, id).deposit()
    if (status === 'ls_transfer_pending') await movesOf(api.services, id).complete()
  }
}

/** Runs a program of the README, and what the test adds to it. */
async function run(program: string, added = '', env: Record<string, string> = {}): Promise<string> {
  let code = program
    .replaceAll('http://localhost:8080', url)
    .replaceAll('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', recipient)
    .replaceAll('<API_KEY>', await keyOf(api.services, 'reader'))
  for (const [name, standIn] of Object.entries(STAND_INS)) code = code.replaceAll(name, standIn)
  const child = spawn(process.execPath, ['--input-type=module-typescript'], {
    cwd: path.join(SDK, '..'),
    env: { ...process.env, ...env },
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  child.stderr.on('data', (data) => {
    printed += data
  })
  child.stdin.end(`${code}\n${added}`)
  const status = await new Promise((resolve) => child.once('exit', resolve))
  expect(status, printed).toBe(0)
  return printed
}

test('the README has five programs', () => {
  expect(programs).toHaveLength(5)
})

test('a swap from beginning to end', async () => {
  const printed = await run(programs[0] ?? '')
  expect(printed).toMatch(/0\.1 ETH \(of [\d.]+ to [\d.]+\) delivers [\d.]+ USDC/)
  expect(printed).toMatch(/completed: [\d.]+ arrived/)
})

test('following a swap', async () => {
  expect(await run(programs[1] ?? '')).toMatch(/user_transfer_pending[\s\S]*completed .*\(the end\)/)
})

test('errors', async () => {
  expect(await run(programs[2] ?? '')).toMatch(
    /too little: it takes at least [\d.]+ ETH\nROUTE_NOT_FOUND_ERROR \([\w-]+\)/,
  )
})

test('adding and removing a webhook', async () => {
  expect(await run(programs[3] ?? '')).toContain("[ 'https://shop.example/hooks/causeway' ]")
})

test('receiving webhooks: a true one is taken, a made-up one is not', async () => {
  const receiver = await startReceiver()
  const secret = makeWebhookSecret()
  const { deliver } = await import('../server/src/flow/deliver.ts')
  const body = JSON.stringify({ data: { swap: { status: 'completed', metadata: { reference_id: 'order 7' } } } })
  const options = { now: new Date(), allowPrivate: true, signal: new AbortController().signal }
  await deliver({ url: receiver.url, secret, messageId: 'x', body }, options)
  await receiver.stop()
  const request = `new Request('http://x/', { method: 'POST', headers, body })`
  const added = `
    const { headers, body } = JSON.parse(${JSON.stringify(JSON.stringify(receiver.received[0]))})
    console.log((await receive(${request})).status, (await receive(${request})).status)
    headers['webhook-signature'] = 'v1,AAAA'
    console.log((await receive(${request})).status)`
  expect(await run(programs[4] ?? '', added, { WEBHOOK_SECRET: secret })).toMatch(/^order 7: completed\n204 204\n400\n/)
})
