/** Campaigns: what a swap earns, that it earns it once and within the budget, and what the lists show. */
import { Campaign, CreatedSwap, EarnedRewards, Leaderboard, Quoted, SwapDetails } from '@causeway/sdk'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { contractAddress, findChain } from '../../../../../chains/simulated/local/src/index.ts'
import { admin } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../../../../tests/support/service/progress.ts'
import { violations } from '../../../../../tests/support/service/spec.ts'
import { promiseReward } from '../../../flow/kinds/reward.ts'
import { declareCampaigns } from '../../../market/campaigns.ts'
import { declareCampaign, insertReward } from '../../../store/rewards/campaigns.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const route = new URLSearchParams(ROUTE).toString()

const NFT = contractAddress('an NFT')

let clock: Date
let api: TestApi
let recipients: string[]
beforeEach(async () => {
  clock = new Date('2026-03-10T12:00:00Z')
  api = await startApi({ SERVICE_FEE_BPS: '100' }, () => clock)
  const { services } = api
  const derive = services.chains.get('ALPHA')?.depositAddresses?.derive
  recipients = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => 900_000 + n).map(async (n) => (await derive?.(n)) ?? ''))
  const token = services.catalogue.network('GAMMA').nativeToken
  const dates = { starts_at: '2026-03-01T00:00:00Z', ends_at: '2026-04-01T00:00:00Z', period_days: 7 }
  const rest = { nft_contract: null, token, fee_share: 0.5, minPayoutUnits: 0n, ...dates }
  const holders = { ...rest, nft_contract: NFT, fee_share: 1, budgetUnits: 10n ** 18n }
  services.addCampaign({ ...holders, name: 'holders', display_name: 'Holders', type: 'for_nft_holders' })
  // Worth 1.50 dollars: two rewards of 0.50, and half of a third.
  const budgetUnits = 625_000_000_000_000n
  services.addCampaign({ ...rest, budgetUnits, name: 'spring', display_name: 'Spring', type: 'default' })
  await declareCampaigns(services.database, services.campaigns.list)
  await services.refresh()
})
afterEach(() => api.stop())

/** The general campaign earns nothing, so any promise is for holders. */
async function onlyHolders(): Promise<void> {
  await admin(api.services, 'campaign', 'pause', '--name', 'spring', '--what', 'earning', '--reason', 'a look')
  await api.services.refresh()
}

const create = (to: number) =>
  api.ask(CreatedSwap, post('/api/v2/swaps', { ...ROUTE, destination_address: recipients[to], amount: 100 }))
async function complete(to: number): Promise<string> {
  const { swap } = await create(to)
  await confirmDeposit(api.services, swap.id, await seeDeposit(api.services, swap.id))
  await landPayouts(api.services, swap.id)
  return swap.id
}

test('campaigns are listed, and found by id or name', async () => {
  const campaigns = await api.ask(z.array(Campaign), '/api/v2/campaigns')
  expect(campaigns.map(({ id, name, type, status }) => `${id} ${name} ${type} ${status}`)).toEqual([
    '1 holders for_nft_holders active',
    '2 spring default active',
  ])
  expect((await api.ask(Campaign, '/api/v2/campaigns/2')).name).toBe('spring')
  const spring = await api.ask(Campaign, '/api/v2/campaigns/SPRING')
  expect(spring).toMatchObject({
    percentage: 50,
    distributed_amount: 0,
    token: { symbol: 'SIM' },
    network: { name: 'GAMMA' },
  })
  expect(await api.refuse('/api/v2/campaigns/winter')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
})

test('a quote and a swap show the reward: half of the fee, in the token of the campaign', async () => {
  const { reward, quote } = await api.ask(Quoted, `/api/v2/quote?${route}&amount=100`)
  expect(quote.service_fee).toBe(1)
  // Half a dollar of a token at 2000 dollars.
  expect(reward).toMatchObject({
    amount: 0.00025,
    amount_in_usd: 0.5,
    campaign_type: 'default',
    nft_contract_address: null,
  })
  expect(violations(reward, 'Reward', new Set())).toEqual([])
  const made = await create(0)
  expect(made.reward).toEqual(reward)
  expect((await api.ask(SwapDetails, `/api/v2/swaps/${made.swap.id}`)).reward).toEqual(reward)
})

test('a reward is earned once, when the swap completes, and never above the budget', async () => {
  const first = await complete(0)
  const rewards = () => api.ask(EarnedRewards, `/api/v2/campaigns/spring/rewards/${recipients[0]?.toUpperCase()}`)
  expect(await rewards()).toMatchObject({
    user_reward: {
      period_pending_amount: 0.00025,
      total_pending_amount: 0.00025,
      total_amount: 0.00025,
      total_amount_in_usd: 0.5,
      position: 1,
    },
    rewards: [{ swap_id: first, period: 1, amount: 0.00025 }],
  })
  const again = { campaign: 'spring', swap_id: first, address: 'x', period: 0, units: 5n, usd: 5n, at: clock }
  const spring = api.services.campaigns.find('spring')
  await api.services.database.transaction().execute(async (queries) => {
    const declared = spring && (await declareCampaign(queries, spring))
    if (declared) await insertReward(queries, again, declared)
  })
  expect((await rewards()).rewards).toHaveLength(1)

  await complete(1)
  // Created while the budget was ample, completed when only half is left.
  await complete(1)
  await api.services.refresh()
  const { leaderboard, campaign } = await api.ask(Leaderboard, '/api/v2/campaigns/spring/leaderboard')
  expect(campaign.distributed_amount).toBe(campaign.total_budget)
  expect(leaderboard.map(({ position, address, swaps, amount }) => ({ position, address, swaps, amount }))).toEqual([
    { position: 1, address: recipients[1], swaps: 2, amount: 0.000375 },
    { position: 2, address: recipients[0], swaps: 1, amount: 0.00025 },
  ])
  // Nothing is left, so nothing is promised.
  expect((await api.ask(Quoted, `/api/v2/quote?${route}&amount=100`)).reward).toBeNull()
  // The period is not over, so nothing was paid yet.
  expect((await api.server.inject(`/api/v2/campaigns/spring/payouts/${recipients[0]}`)).json()).toEqual({ data: [] })
})

test('the database rejects rewards above the budget, and payouts above what was earned', async () => {
  const table = api.services.database.updateTable('campaign').where('name', '=', 'spring')
  await expect(table.set((eb) => ({ earned_units: eb('budget_units', '+', 1n) })).execute()).rejects.toThrow(
    'campaign_budget',
  )
  await expect(table.set((eb) => ({ ordered_units: eb('earned_units', '+', 1n) })).execute()).rejects.toThrow(
    'campaign_ordered',
  )
})

test('a campaign cannot be given another token', async () => {
  const { services } = api
  const spring = services.campaigns.find('spring')
  if (!spring) throw new Error('no campaign')
  const token = services.catalogue.network('BETA').nativeToken
  await expect(declareCampaigns(services.database, [{ ...spring, token }])).rejects.toThrow('begun with another token')
})

test('a campaign for holders applies only to those who hold the NFT', async () => {
  const { services } = api
  await onlyHolders()
  const { chain } = findChain('GAMMA')
  const rewardTo = async (to: number) =>
    (await api.ask(Quoted, `/api/v2/quote?${route}&amount=100&destination_address=${recipients[to]}`)).reward
  chain.mint(recipients[2] ?? '', NFT, 1n)
  // The chain was not read yet, and no request waits for it.
  expect(await rewardTo(2)).toBeNull()
  expect(await rewardTo(3)).toBeNull()
  await services.refresh()
  expect(await rewardTo(2)).toMatchObject({
    campaign_type: 'for_nft_holders',
    nft_contract_address: NFT,
    amount_in_usd: 1,
  })
  expect(await rewardTo(3)).toBeNull()
  expect((await api.ask(Quoted, `/api/v2/quote?${route}&amount=100`)).reward).toBeNull()

  const swapId = await complete(2)
  const { rewards } = await api.ask(EarnedRewards, `/api/v2/campaigns/holders/rewards/${recipients[2]}`)
  expect(rewards).toMatchObject([{ swap_id: swapId, amount: 0.0005 }])
  await complete(3)
  expect((await api.ask(Leaderboard, '/api/v2/campaigns/holders/leaderboard')).leaderboard).toMatchObject([
    { position: 1, address: recipients[2], swaps: 1 },
  ])
})

test('a job promises the reward if the chain answers after the swap was created or completed', async () => {
  const { services } = api
  await onlyHolders()
  findChain('GAMMA').chain.mint(recipients[4] ?? '', NFT, 1n)
  const made = await create(4)
  expect(made.reward).toBeNull()
  expect(await promiseJobs()).toContain(made.swap.id)
  await promiseReward(services, made.swap.id)
  const { reward } = await api.ask(SwapDetails, `/api/v2/swaps/${made.swap.id}`)
  expect(reward).toMatchObject({ campaign_type: 'for_nft_holders', amount: 0.0005 })

  const fast = await complete(4)
  await promiseReward(services, fast)
  await promiseReward(services, fast)
  const { rewards } = await api.ask(EarnedRewards, `/api/v2/campaigns/holders/rewards/${recipients[4]}`)
  expect(rewards).toMatchObject([{ swap_id: fast, amount: 0.0005 }])

  const stranger = await create(5)
  await promiseReward(services, stranger.swap.id)
  expect((await api.ask(SwapDetails, `/api/v2/swaps/${stranger.swap.id}`)).reward).toBeNull()
})

async function promiseJobs(): Promise<unknown[]> {
  const { rows } = await sql<{ key: string }>`
    select key from graphile_worker.jobs where task_identifier = 'promise'`.execute(api.services.database)
  return rows.map(({ key }) => key.replace('promise:', ''))
}

test('a paused campaign promises nothing new', async () => {
  const { services } = api
  const isOffered = async () =>
    (await api.ask(Quoted, `/api/v2/quote?${route}&amount=100&destination_address=${recipients[2]}`)).reward !== null
  await onlyHolders()
  findChain('GAMMA').chain.mint(recipients[2] ?? '', NFT, 1n)
  expect(await isOffered()).toBe(false)
  await services.refresh()
  expect(await isOffered()).toBe(true)
  await admin(services, 'campaign', 'pause', '--name', 'holders', '--what', 'earning', '--reason', 'a look')
  await services.refresh()
  expect(await isOffered()).toBe(false)
  await admin(services, 'campaign', 'resume', '--name', 'holders')
  await services.refresh()
  expect(await isOffered()).toBe(true)
})

test('a campaign that is over promises nothing', async () => {
  clock = new Date('2026-04-01T00:00:00Z')
  await api.services.refresh()
  expect((await api.ask(Quoted, `/api/v2/quote?${route}&amount=100`)).reward).toBeNull()
  expect((await api.ask(Campaign, '/api/v2/campaigns/spring')).status).toBe('ended')
})
