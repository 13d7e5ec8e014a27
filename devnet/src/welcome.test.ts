import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { welcome } from './welcome.ts'

const ROOT = path.join(import.meta.dirname, '../..')
let sandbox: Sandbox
let screen: string

beforeAll(async () => {
  sandbox = await startSandbox({ only: ['BASE_SEPOLIA', 'ETHEREUM_SEPOLIA'], env: { LOG_LEVEL: 'fatal' } })
  screen = welcome(sandbox, sandbox.url)
})
afterAll(() => sandbox?.stop())

const printed = (pattern: RegExp) => pattern.exec(screen)?.[1] ?? `nothing like ${pattern} is printed`

async function ask(at: string, key?: string) {
  const response = await fetch(sandbox.url + at, key === undefined ? {} : { headers: { 'X-LS-APIKEY': key } })
  return { status: response.status, body: await response.json() }
}

it('the printed public key can quote, and the printed secret key can act for its app', async () => {
  const route =
    'source_network=ETHEREUM_SEPOLIA&source_token=ETH&destination_network=BASE_SEPOLIA&destination_token=USDC'
  const [open, secret] = [printed(/public +(\S+)/), printed(/secret +(\S+)/)]
  expect(await ask(`/api/v2/quote?${route}&amount=0.1`, open)).toMatchObject({ status: 200 })
  expect(await ask('/api/v2/webhooks', open)).toMatchObject({ status: 403 })
  expect(await ask('/api/v2/webhooks', secret)).toEqual({ status: 200, body: { data: [] } })
  expect((await ask('/sandbox')).body.data.api_keys).toEqual({ environment: 'testnet', public: open, secret })
})

it('left out networks are shown with the reason', () => {
  const told = (env: Record<string, string>) =>
    /Left out, .*/.exec(welcome({ ...sandbox, leftOut: ['TON_TESTNET'], env }, sandbox.url))?.[0]
  expect(told({})).toBe('Left out, having no local chain: TON_TESTNET')
  expect(told({ FAMILIES: 'evm' })).toBe('Left out, not of FAMILIES=evm, or having no local chain: TON_TESTNET')
})

it('the error for an unknown key says where the sandbox’s keys are', async () => {
  const { status, body } = await ask('/api/v2/networks', 'a key from somewhere else')
  expect([status, body.error.code]).toEqual([403, 'API_KEY_FORBIDDEN'])
  expect(body.error.message).toMatch(/npm start.* printed .*GET \/sandbox shows them/)
})

it('the printed command starts the command line on this database', async () => {
  const line = printed(/Start it +(.+)/)
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: ROOT })
  expect(stdout).toContain('nothing is owed')
  const keys = line.replace('swap list --owed', 'key list --app sandbox')
  const listed = await promisify(execFile)('sh', ['-c', keys], { cwd: ROOT })
  expect(listed.stdout.match(/live/g)).toHaveLength(2)
})
