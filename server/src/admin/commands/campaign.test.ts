/** The operator's commands for campaigns: their output matches the database, and each change leaves an audit entry. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { declareCampaigns } from '../../market/campaigns.ts'
import { insertRewardPayout } from '../../store/rewards/rewards.ts'

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

async function audited(): Promise<string[]> {
  const rows = await services.database.selectFrom('audit_log').select('action').orderBy('id').execute()
  return rows.map(({ action }) => action)
}

test('without a campaign the list is empty', async () => {
  expect(await run('campaign', 'list')).toBe('there is no campaign')
})

test('a campaign that the service has started with is listed and shown, and its payouts too', async () => {
  const token = services.catalogue.network('BETA').nativeToken
  const dates = { starts_at: '2026-03-01T00:00:00Z', ends_at: '2026-04-01T00:00:00Z', period_days: 7 }
  const sums = { budgetUnits: 900n, minPayoutUnits: 0n }
  const rest = { nft_contract: null, token, fee_share: 0.5, type: 'default', ...sums, ...dates } as const
  await declareCampaigns(services.database, [{ ...rest, name: 'spring', display_name: 'Spring' }])
  await services.database.updateTable('campaign').set({ earned_units: 300n }).execute()
  expect(await run('campaign', 'list')).toMatch(/spring +BETA +native +900 +300 +0 +0/)
  expect(await run('campaign', 'payouts', '--name', 'spring')).toBe('nothing was ordered in spring yet')

  const due = { address: 'sim1x', units: 0n }
  const order = { campaign: 'spring', period: 4, due, units: 0n, token, account: 'sim1us', now: services.now() }
  await expect(insertRewardPayout(services.database, order)).rejects.toThrow('payout_units_check')
  const { id } = await services.database
    .insertInto('payout')
    .values({
      swap_id: null,
      number: 0,
      kind: 'reward',
      deposit_id: null,
      network: 'BETA',
      account: 'sim1us',
      token: 'native',
      units: 120n,
      to_address: 'sim1x',
      state: 'confirmed',
      tx_hash: 'abc',
      campaign: 'spring',
      period: 4,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await services.database.updateTable('campaign').set({ ordered_units: 120n }).execute()
  expect(await run('campaign', 'payouts', '--name', 'spring')).toMatch(
    new RegExp(`${id} +4 +sim1x +120 +confirmed +abc`),
  )
  const shown = await run('campaign', 'show', '--name', 'spring')
  expect(shown).toMatch(/left of the budget +600/)
  expect(shown).toMatch(/paid +120/)
  expect(shown).toMatch(/not ordered yet +180/)
  await expect(run('campaign', 'retry', '--payout', id)).rejects.toThrow('was not given up')
  expect(await audited()).toEqual([])
})

test('a pause is stored under the scope of the campaign, is shown and ends, and both are in the audit log', async () => {
  expect(await run('campaign', 'pause', '--name', 'spring', '--what', 'both', '--reason', 'abuse')).toBe(
    'spring: earning and payouts paused',
  )
  expect(await run('campaign', 'show', '--name', 'spring')).toMatch(/paused +earning and payouts: abuse/)
  expect(await run('switch', 'list')).toMatch(/campaign:spring/)
  expect(await run('campaign', 'resume', '--name', 'spring')).toBe('spring goes on')
  expect(await run('campaign', 'show', '--name', 'spring')).toMatch(/paused +no/)
  expect(await audited()).toEqual(['campaign paused', 'campaign resumed'])
})

test('mistakes are reported clearly and change nothing', async () => {
  const before = await audited()
  const wrong: [string[], string][] = [
    [['show', '--name', 'winter'], 'there is no campaign winter'],
    [['pause', '--name', 'winter', '--what', 'both', '--reason', 'x'], 'there is no campaign winter'],
    [['pause', '--name', 'spring', '--what', 'swaps', '--reason', 'x'], 'earning, payouts or both'],
    [['pause', '--name', 'spring', '--what', 'both'], '--reason is needed'],
    [['payouts', '--name', 'spring', '--last', '0'], '--last is 1 to'],
    [['retry', '--payout', randomUUID()], 'there is no reward payout'],
  ]
  for (const [words, message] of wrong) {
    await expect(run('campaign', ...words), words.join(' ')).rejects.toThrow(message)
  }
  expect(await audited()).toEqual(before)
  expect(await run('campaign', 'list', '--help')).toMatch(/campaign retry --payout/)
})
