/**
 * The SDK as users get it: packed, installed into an empty project, imported, required and compiled. The programs of
 * its README run unchanged against a service that completes every swap.
 */
import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CreatedSwap } from '@causeway/sdk'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWebhookSecret } from '../../server/src/apps/accounts.ts'
import { type InstalledSdk, installSdk } from '../support/repository/installed-sdk.ts'
import { keyOf } from '../support/service/accounts.ts'
import { post, startApi, type TestApi } from '../support/service/api.ts'
import { movesOf } from '../support/service/moves.ts'
import { confirmDeposit, seeDeposit } from '../support/service/progress.ts'
import { startReceiver } from '../support/service/receiver.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const SDK = path.join(ROOT, 'sdk')
const INSTALL_MS = 120_000
const programs = [...readFileSync(path.join(SDK, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code = '']) => code,
)
/** The README names real networks; the test has simulated ones. */
const STAND_INS: Record<string, string> = {
  ETHEREUM_SEPOLIA: 'ALPHA',
  BASE_SEPOLIA: 'BETA',
  "'ETH'": "'SIM'",
}

let sdk: InstalledSdk
let api: TestApi
let url: string
let recipient: string
let moving: NodeJS.Timeout
beforeAll(async () => {
  sdk = installSdk()
  api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' })
  url = await api.server.listen({ port: 0, host: '127.0.0.1' })
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  moving = setInterval(() => moveAll().catch(() => undefined), 200)
}, INSTALL_MS)
afterAll(async () => {
  clearInterval(moving)
  await api?.stop()
  sdk?.remove()
})

/** Plays the depositors and the chains. */
async function moveAll(): Promise<void> {
  const swaps = await api.services.database.selectFrom('swap').select(['id', 'status']).execute()
  for (const { id, status } of swaps) {
    if (status === 'user_transfer_pending') await movesOf(api.services, id).deposit()
    if (status === 'ls_transfer_pending') await movesOf(api.services, id).complete()
  }
}

/** Runs a program of the README with the test's additions. */
async function run(program: string, added = '', env: Record<string, string> = {}): Promise<string> {
  let code = program
    .replaceAll('http://localhost:8080', url)
    .replaceAll('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', recipient)
    .replaceAll('<API_KEY>', await keyOf(api.services, 'reader'))
  for (const [name, standIn] of Object.entries(STAND_INS)) code = code.replaceAll(name, standIn)
  const child = spawn(process.execPath, ['--input-type=module-typescript'], {
    cwd: sdk.folder,
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

test('the README has six programs', () => {
  expect(programs).toHaveLength(6)
})

test('a swap from beginning to end', async () => {
  const printed = await run(programs[0] ?? '')
  expect(printed).toMatch(/0\.1 ETH \(of [\d.]+ to [\d.]+\) delivers [\d.]+ USDC/)
  expect(printed).toMatch(/completed: [\d.]+ arrived/)
})

test('following a swap', async () => {
  expect(await run(programs[1] ?? '')).toMatch(/_transfer_pending[\s\S]*completed .*\(the end\)/)
})

test('errors', async () => {
  expect(await run(programs[2] ?? '')).toMatch(
    /too little: it takes at least [\d.]+ ETH\nROUTE_NOT_FOUND_ERROR \([\w-]+\)/,
  )
})

test('adding and removing a webhook', async () => {
  expect(await run(programs[3] ?? '')).toContain("[ 'https://shop.example/hooks/causeway' ]")
})

test('receiving webhooks: a genuine one is accepted, a forged one is not', async () => {
  const receiver = await startReceiver()
  const secret = makeWebhookSecret()
  const { postWebhook: deliver } = await import('../../server/src/flow/webhooks/deliver.ts')
  const body = JSON.stringify({ data: { swap: { status: 'completed', metadata: { reference_id: 'order 7' } } } })
  const options = { now: new Date(), reach: 'all' as const, signal: new AbortController().signal }
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

test('owed money is found, shown, and given an address', async () => {
  clearInterval(moving)
  const headers = { 'x-ls-apikey': await keyOf(api.services, 'reader') }
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, amount: 100, destination_address: recipient, use_deposit_address: true }
  const { swap } = await api.ask(CreatedSwap, { ...post('/api/v2/swaps', body), headers })
  const depositId = await seeDeposit(api.services, swap.id, {}, 60_000_000_000n)
  await confirmDeposit(api.services, swap.id, depositId)
  expect(await run(programs[5] ?? '')).toMatch(/^60000 USDC on ALPHA is owed and held\./)
  const client = new pg.Client(api.services.config.databaseUrl)
  await client.connect()
  const { rows } = await client.query(
    "select payload from graphile_worker._private_jobs where payload->>'by' is not null",
  )
  await client.end()
  expect(rows.map(({ payload }) => payload)).toEqual([
    { swapId: swap.id, address: recipient, by: 'app', depositIds: [depositId], signers: [] },
  ])
})

test.each([
  ['nodenext', 'nodenext'],
  ['node16', 'node16'],
  ['esnext', 'bundler'],
])(
  'every program compiles under strict with module %s, resolution %s',
  (module, resolution) => {
    const folder = path.join(sdk.folder, `src-${resolution}`)
    mkdirSync(folder)
    const environment = 'declare const process: { env: Record<string, string | undefined> }\n'
    const files = programs.map((code, index) => {
      const file = path.join(folder, `program-${index}.ts`)
      writeFileSync(file, `${environment}${code}\nexport {}\n`)
      return file
    })
    const strict = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
    ]
    const where = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022', '--types', '']
    const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
    const said = execFileSync(process.execPath, [compiler, ...strict, ...where, ...files], { cwd: sdk.folder })
    expect(`${said}`).toBe('')
  },
  INSTALL_MS,
)

test('its types cost the compiler little: no zod, at most 200 MB', () => {
  const [folder, file] = [sdk.folder, path.join(sdk.folder, 'smallest.ts')]
  writeFileSync(file, "import { createClient } from '@causeway/sdk'\nexport const make = createClient\n")
  const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
  const options = ['--noEmit', '--ignoreConfig', '--strict', '--module', 'nodenext', '--types', '']
  const args = [compiler, ...options, '--listFiles', '--extendedDiagnostics', file]
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect(printed).toContain('@causeway/sdk/dist/esm/types.d.ts')
  expect(printed).not.toContain('/zod/')
  expect(Number(/Memory used:\s+(\d+)K/.exec(printed)?.[1])).toBeLessThan(200_000)
})

test.each([
  ['verifyWebhook', ['waitForSwap', '/api/v2', 'canonical']],
  ['createClient', ['whsec_', 'Zod']],
])('a bundle with %s alone has nothing else', (name, absent) => {
  const [entry, out] = [path.join(sdk.folder, `${name}.js`), path.join(sdk.folder, `${name}.out.js`)]
  writeFileSync(entry, `import { ${name} } from '@causeway/sdk'\nglobalThis.used = ${name}\n`)
  const bundler = path.join(ROOT, 'node_modules/rolldown/bin/cli.mjs')
  execFileSync(process.execPath, [bundler, entry, '-o', out, '--platform', 'browser'], { cwd: sdk.folder })
  const bundled = readFileSync(out, 'utf8')
  expect(bundled).toContain(`function ${name}`)
  for (const word of absent) expect(bundled).not.toContain(word)
})

test('it is imported and required, whole and its shapes alone', () => {
  const node = (type: string, code: string) =>
    execFileSync(process.execPath, [`--input-type=${type}`, '--eval', code], { cwd: sdk.folder, encoding: 'utf8' })
  const shown = "console.log(typeof all.createClient, 'createClient' in wire, typeof wire.SwapDetails.parse)"
  const imported = `import * as all from '@causeway/sdk'; import * as wire from '@causeway/sdk/wire'; ${shown}`
  const required = `const all = require('@causeway/sdk'), wire = require('@causeway/sdk/wire'); ${shown}`
  expect(node('module', imported)).toBe('function false function\n')
  expect(node('commonjs', required)).toBe('function false function\n')
})

test('nothing in it needs Node, other packages of ours or sources', () => {
  const dist = path.join(sdk.folder, 'node_modules/@causeway/sdk/dist')
  const files = globSync('**/*.{js,ts}', { cwd: dist })
  const foreign = /(from |require\()['"](node:|@causeway\/|[^'"]*\.ts['"])/
  expect(files.filter((file) => foreign.test(readFileSync(path.join(dist, file), 'utf8')))).toEqual([])
  expect(files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([])
  expect(files.length).toBeGreaterThan(50)
})

test(
  'the package linters find nothing',
  () => {
    const said = execFileSync('npm', ['run', '-s', 'lint:sdk'], { cwd: ROOT, encoding: 'utf8' })
    expect(said).toContain('All good!')
    expect(said).toContain('No problems found')
  },
  INSTALL_MS,
)
