/** Which wallets are low, by the operator's minimum, and where there is a surplus of the same token. */
import { type Token, tokenKey } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { admin } from '../../../tests/support/service/accounts.ts'
import { startServices, type TestServices } from '../../../tests/support/service/services.ts'
import { tokenScope } from '../market/safeguards.ts'
import type { Finding } from '../store/ledger/ledger.ts'
import { listLimits } from '../store/limits/safeguards.ts'
import { walletBalances } from './balances.ts'

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  await services.refresh()
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

const usdc = (network: string): Token => {
  const token = services.catalogue.network(network).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error(`no USDC on ${network}`)
  return token
}
const floor = (network: string, usd: string) =>
  admin(services, 'limit', 'set', '--kind', 'wallet_floor', '--scope', tokenScope(usdc(network)), '--usd', usd)

function holds(network: string, whole: bigint, account = services.chains.get(network)?.treasury ?? ''): Finding {
  const units = whole * 10n ** BigInt(usdc(network).decimals)
  const nothing = { since_block: null, since_at: null, block_number: null, seen_at: null }
  return {
    ...{ network, account, token: tokenKey(usdc(network)), chain_units: units, ledger_units: units, opened: true },
    ...{ ...nothing, found_units: null, found_block: null, found_verified: false, surplus_units: null },
    ...{ short: false, at: services.now() },
  }
}
const holdings = async (...findings: Finding[]) =>
  walletBalances({ ...services, isSandbox: false }, findings, await listLimits(services.database))

test('a wallet below its minimum is low, and the wallet with the largest surplus is named', async () => {
  await floor('ALPHA', '500')
  await floor('GAMMA', '9000')
  const [alpha, beta, gamma] = await holdings(holds('ALPHA', 499n), holds('BETA', 3_000n), holds('GAMMA', 10_000n))
  expect(alpha).toMatchObject({ floor: 500, is_low: true, usd: 499, units: `${499n * 10n ** 6n}` })
  // The amount needed on GAMMA itself is not available.
  expect(alpha?.move_from).toMatchObject({ network: 'BETA', amount: '3000', symbol: 'USDC' })
  expect([beta, gamma]).toMatchObject([
    { floor: null, is_low: false, move_from: null },
    { floor: 9_000, is_low: false, move_from: null },
  ])
})

test('no source is named if no wallet has a surplus, and deposit addresses are not wallets', async () => {
  const [alpha, ...more] = await holdings(holds('ALPHA', 1n), holds('GAMMA', 8_000n), holds('BETA', 50_000n, 'sim1x'))
  expect(alpha).toMatchObject({ is_low: true, move_from: null })
  expect(more).toMatchObject([{ network: 'GAMMA', is_low: true }])
})

test('without a price it is unknown whether a wallet is low', async () => {
  const later = { ...services, market: { ...services.market, price: () => null } }
  const [alpha] = walletBalances(
    { ...later, isSandbox: false },
    [holds('ALPHA', 1n)],
    await listLimits(services.database),
  )
  expect(alpha).toMatchObject({ floor: 500, usd: null, is_low: false })
})

test('a minimum balance limits nothing, so one person may set it', async () => {
  const set = (scope: string) =>
    admin(services, 'limit', 'set', '--kind', 'wallet_floor', '--scope', scope, '--usd', '1')
  for (const scope of ['service', 'network:ALPHA']) await expect(set(scope)).rejects.toThrow('is for a token')
})
