/** The doctor on local chains: everything is in order, then one thing after another is not. */
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examine } from '../../../server/src/doctor/doctor.ts'
import { startWorld, type World } from '../../support/processes/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, 120_000)
afterAll(() => world?.stop())

const failures = async (env: Record<string, string> = {}) => {
  const checks = await examine({ ...world.sandbox.env, ...env })
  return checks.filter(({ state }) => state === 'fail').map(({ name, detail }) => `${name}: ${detail}`)
}

it('a service that runs has no failure, and every node, wallet and token has its line', async () => {
  const checks = await examine(world.sandbox.env)
  expect(checks.filter(({ state }) => state === 'fail')).toEqual([])
  const { host } = new URL(world.sandbox.env.NODES_BASE_SEPOLIA ?? '')
  const names = checks.map(({ name }) => name)
  for (const what of [`node ${host}`, 'wallet', 'tokens', 'contracts']) expect(names).toContain(`BASE_SEPOLIA ${what}`)
  for (const what of ['database', 'migrations', 'clock', 'keys', 'journal', 'prices']) expect(names).toContain(what)
})

it('a node of another chain fails, and the other network does not', async () => {
  const found = await failures({ NODES_BASE_SEPOLIA: world.sandbox.env.NODES_ETHEREUM_SEPOLIA ?? '' })
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(/^BASE_SEPOLIA node \S+: .*chain/)
})

it('a node that is gone fails', async () => {
  expect(await failures({ NODES_BASE_SEPOLIA: 'http://127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^BASE_SEPOLIA node 127\.0\.0\.1:1: /),
  ])
})

it('other keys than those of the database fail', async () => {
  const found = await failures({
    MNEMONIC: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  })
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/^BASE_SEPOLIA wallet: .*the database knows/)]))
})

it('a token with other decimals than its contract fails', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-doctor-'))
  await cp(world.sandbox.env.NETWORKS ?? '', folder, { recursive: true })
  const file = path.join(folder, 'BASE_SEPOLIA.json')
  const network = JSON.parse(await readFile(file, 'utf8')) as { tokens: { symbol: string; decimals: number }[] }
  for (const token of network.tokens) if (token.symbol === 'USDC') token.decimals = 8
  await writeFile(file, JSON.stringify(network))
  expect(await failures({ NETWORKS: folder })).toEqual(['BASE_SEPOLIA token USDC: its contract has 6 decimals, not 8'])
})
