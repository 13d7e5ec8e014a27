/** The canary swaps on local chains with its own wallets, within its budget, and says what broke. */
import { type ChainAdapter, tokenKey } from '@causeway/core'
import { createClient } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canaryOf } from '../../../server/src/admin/canary/open-canary.ts'
import type { CanaryTools } from '../../../server/src/admin/canary/run-canary.ts'
import { createJsonOutput } from '../../../server/src/admin/cli/json-output.ts'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { loadFamily, openChains } from '../../../server/src/catalogue/chains.ts'
import { SANDBOX_MNEMONIC } from '../../../server/src/config/sandbox.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { createLog } from '../../../server/src/observe/log.ts'
import { startWorld, type World } from '../../support/processes/world.ts'

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const [FROM, TO] = ['BASE_SEPOLIA', 'OSMOSIS_TESTNET']

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [FROM, TO])
})
afterAll(() => world?.stop())

const services = () => {
  if (!world.sandbox.service) throw new Error('no service')
  return world.sandbox.service.services
}

async function walletsOf(phrase: string): Promise<CanaryTools['chains']> {
  const { catalogue } = services()
  return openChains(catalogue, loadFamily, mnemonicSigner(phrase), createLog('fatal'))
}

interface Report {
  rows: Record<string, string>[]
  lines: string[]
  failed: boolean
}

async function canary(chains: CanaryTools['chains'], ...words: string[]): Promise<Report> {
  const { database, now } = services()
  const json = createJsonOutput()
  let failed = false
  const opened = canaryOf({ client: createClient({ baseUrl: world.sandbox.url }), chains }, 50)
  const desk = { database, now, actor: 'nobody', role: 'viewer' as const, canary: async () => opened, ...json.sinks }
  const fail = () => {
    failed = true
  }
  await runCommand({ ...desk, fail }, ['canary', ...words])
  return { ...JSON.parse(json.text()), failed }
}

const swapsMade = async () => Number((await world.query<{ n: string }>('select count(*) as n from swap'))[0]?.n)

async function metric(name: string): Promise<string[]> {
  const text = await (await fetch(`${world.sandbox.internalUrl}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(`${name}{`))
}

async function fund(chains: CanaryTools['chains']): Promise<void> {
  await Promise.all(
    [...chains.values()].flatMap(({ network, treasury }: ChainAdapter) =>
      network.tokens
        .filter((token) => tokenKey(token) === tokenKey(network.nativeToken))
        .map((token) => world.devnet(network.name).fund(token, treasury, 10n ** BigInt(token.decimals + 2))),
    ),
  )
}

test("a canary with the service's own keys is refused", async () => {
  const chains = await walletsOf(SANDBOX_MNEMONIC)
  await expect(canary(chains)).rejects.toThrow('is a wallet of the service')
  expect(await swapsMade()).toBe(0)
})

test('an empty wallet is a failure that names the address, and feeds the metric', async () => {
  const chains = await walletsOf(PHRASE)
  const { rows, failed } = await canary(chains, '--networks', FROM)
  const [row] = rows.filter(({ result }) => result !== 'not tried')
  expect(row).toMatchObject({ network: FROM, result: 'failed' })
  expect(row?.problem).toContain(`to ${chains.get(FROM)?.treasury} on ${FROM}`)
  expect(failed).toBe(true)
  // Nothing was promised to a wallet that cannot pay.
  expect(await swapsMade()).toBe(0)
  expect(await metric('causeway_canary_up')).toEqual([
    `causeway_canary_up{network="${FROM}",method="deposit_address"} 0`,
  ])
  expect(await metric('causeway_canary_success_timestamp_seconds')).toEqual([])
})

test('one swap from every network arrives on chain; what a budget does not cover is skipped', async () => {
  const chains = await walletsOf(PHRASE)
  await fund(chains)
  const { rows, lines, failed } = await canary(chains)
  const tried = rows.filter(({ result }) => result !== 'not tried')
  expect(tried.map(({ network, result, problem }) => ({ network, result, problem }))).toEqual(
    [FROM, TO].toSorted().map((network) => ({ network, result: 'worked', problem: '' })),
  )
  expect(failed).toBe(false)
  expect(lines).toContain('2 worked, 0 failed, 0 skipped')
  const ended = await world.query<{ status: string; app_name: string }>('select status, app_name from swap')
  expect(ended).toEqual([1, 2].map(() => ({ status: 'completed', app_name: 'canary' })))
  const deposits = await world.query('select swap_id from deposit')
  expect(deposits).toHaveLength(2)
  expect(await metric('causeway_canary_up')).toHaveLength(2)
  expect((await metric('causeway_canary_up')).every((line) => line.endsWith(' 1'))).toBe(true)
  expect(await metric('causeway_canary_success_timestamp_seconds')).toHaveLength(2)

  const spent = Math.min(...tried.map(({ usd = '' }) => Number(usd.slice(1))))
  const poor = await canary(chains, '--budget', String(spent / 2))
  expect(poor.lines).toContain('0 worked, 0 failed, 2 skipped')
  expect(poor.failed).toBe(false)
  expect(await swapsMade()).toBe(2)
})
