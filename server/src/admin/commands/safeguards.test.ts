/** The operator's commands for switches, limits, held payouts, wallets and unmatched deposits. Each leaves an audit entry. */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin, found } from '../../../../tests/support/service/accounts.ts'
import { releaseWords } from '../../../../tests/support/service/holds.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { pausedRoute } from '../../market/safeguards.ts'
import { listHalts } from '../../store/limits/halts.ts'

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})
const run = (...words: string[]) => admin(services, ...words)

async function lastAudit(): Promise<string> {
  const row = await services.database.selectFrom('audit_log').selectAll().orderBy('id', 'desc').executeTakeFirst()
  return row?.action ?? ''
}

test('a pause is stored, takes effect, is listed and ends', async () => {
  const [source, destination] = services.catalogue.networks.map(({ nativeToken }) => nativeToken)
  if (!source || !destination) throw new Error('two networks are needed')
  await run('switch', 'pause', '--scope', `network:${source.network}`, '--what', 'both', '--reason', 'upgrade')
  expect(await lastAudit()).toBe('paused')
  await services.safeguards.refresh()
  expect(pausedRoute(services.safeguards.current(), source, destination)).toBe('upgrade')
  expect(await run('switch', 'list')).toMatch(/swaps and payouts +upgrade/)
  await run('switch', 'resume', '--scope', `network:${source.network}`)
  expect(await lastAudit()).toBe('resumed')
  expect(await run('switch', 'list')).toBe('nothing is paused')
})

test('a limit is stored to the cent, listed and removed', async () => {
  await run('limit', 'set', '--kind', 'daily_outflow', '--scope', 'network:ALPHA', '--usd', '2500.50')
  expect(await lastAudit()).toBe('limit set')
  expect(await run('limit', 'list')).toMatch(/daily_outflow +network:ALPHA +2500\.5 /)
  await run('limit', 'clear', '--kind', 'daily_outflow', '--scope', 'network:ALPHA')
  expect(await lastAudit()).toBe('limit cleared')
  expect(await run('limit', 'list')).toBe('there is no limit')
})

const treasury = () => chainOf(services.chains, 'ALPHA').treasury
const halt = (network: string, wallet: string) =>
  run('wallet', 'halt', '--network', network, '--wallet', wallet, '--reason', 'stolen key')

test('a wallet is halted and released', async () => {
  await halt('ALPHA', treasury())
  expect(await lastAudit()).toBe('wallet halted')
  await run('wallet', 'release', ...(await releaseWords(services.database, 'ALPHA', treasury())))
  expect(await lastAudit()).toBe('wallet released')
  await expect(run('wallet', 'release', '--network', 'ALPHA', '--wallet', treasury())).rejects.toThrow('is not halted')
})

test('a wallet is halted and released whatever capitals it is written in', async () => {
  expect(await halt('alpha', treasury().toUpperCase())).toBe(`${treasury()} on ALPHA signs nothing`)
  expect((await listHalts(services.database)).map(({ account }) => account)).toEqual([treasury()])
  const [, , , , ...hold] = await releaseWords(services.database, 'ALPHA', treasury())
  await run('wallet', 'release', '--network', 'Alpha', '--wallet', treasury().toUpperCase(), ...hold)
  expect(await listHalts(services.database)).toEqual([])
})

test('an unknown wallet is not halted: the error lists the known ones', async () => {
  await expect(halt('ALFA', treasury())).rejects.toThrow('there is no network ALFA; listed are: ALPHA, BETA, GAMMA')
  const short = treasury().slice(0, -1)
  await expect(halt('ALPHA', short)).rejects.toThrow(`no wallet ${short} on ALPHA; known are: ${treasury()}`)
  expect(await listHalts(services.database)).toEqual([])
})

test('a limit in a scope that its kind does not use is refused', async () => {
  const route = 'route:ALPHA/native>BETA/native'
  const ceiling = run('limit', 'set', '--kind', 'wallet_ceiling', '--scope', route, '--usd', '1')
  await expect(ceiling).rejects.toThrow(`the service, a network or a token, not for ${route}`)
})

test('an unmatched deposit is listed, and removed from the list', async () => {
  const { id } = await services.database
    .insertInto('deposit')
    .values({
      network: 'ALPHA',
      tx_hash: 'abc',
      index: 0,
      block_number: 1n,
      block_hash: 'x',
      from_address: null,
      to_address: 'sim1y',
      token: 'native',
      units: 5n,
      reference: null,
      swap_id: null,
      state: 'confirmed',
      confirmations_wanted: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(found(/[0-9a-f-]{36}/, await run('unmatched', 'list'))).toBe(id)
  await run('unmatched', 'ignore', '--deposit', id)
  expect(await lastAudit()).toBe('deposit ignored')
  expect(await run('unmatched', 'list')).toBe('there is no unmatched deposit')
  await expect(run('unmatched', 'ignore', '--deposit', id)).rejects.toThrow('ignored already')
})

test('mistakes are reported clearly and change nothing', async () => {
  const wrong: [string[], string][] = [
    [['switch', 'pause', '--scope', 'moon', '--what', 'both', '--reason', 'x'], 'moon is no scope'],
    [['switch', 'pause', '--scope', 'service', '--what', 'all', '--reason', 'x'], 'swaps, payouts or both'],
    [['limit', 'set', '--kind', 'yearly', '--scope', 'service', '--usd', '1'], '--kind is one of'],
    [['limit', 'set', '--kind', 'hourly_outflow', '--scope', 'service', '--usd', '1'], 'a network or a token'],
    [['limit', 'set', '--kind', 'swap_max', '--scope', 'service', '--usd', '1e3'], 'plain decimal'],
    [['payout', 'approve', '--id', randomUUID()], 'does not wait any more'],
    [['payout', 'reject', '--id', 'x'], '--id is an id'],
    [['unmatched', 'assign', '--deposit', randomUUID(), '--swap', randomUUID()], 'there is no deposit'],
  ]
  const entries = async () => (await services.database.selectFrom('audit_log').select('id').execute()).length
  const before = await entries()
  for (const [words, message] of wrong) await expect(run(...words), words.join(' ')).rejects.toThrow(message)
  expect(await entries()).toBe(before)
})
