/** Paying rewards: one payout per address and period, checked like any other, with crashes and refusals in between. */
import { type Account, RetryLater } from '@causeway/core'
import { CreatedSwap, RewardPayout, SwapDetails } from '@causeway/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { findChain } from '../../../../chains/simulated/local/src/index.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { holdOf, holdWords, releaseWords } from '../../../../tests/support/service/holds.ts'
import { confirmDeposit, landPayouts as landSwap, seeDeposit } from '../../../../tests/support/service/progress.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { unbalancedPostings } from '../../store/ledger/ledger.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import { insertRewardPayout } from '../../store/rewards/rewards.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { landPayouts } from '../landing/land.ts'
import { pay } from '../payouts/pay.ts'
import { applyEvent } from '../swap/advance.ts'
import { payRewards } from './disburse.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const WEEK_MS = 7 * 86_400_000
/** Half of a dollar's fee, in a token at 2000 dollars. */
const EARNED = 250_000_000_000_000n
const NAME = 'spring'

let clock: Date
let api: TestApi
let recipients: string[]
let next: number

beforeEach(async () => {
  clock = new Date('2026-03-02T12:00:00Z')
  next = 0
  api = await startApi({ SERVICE_FEE_BPS: '100' }, () => clock)
  const { services } = api
  const derive = chainOf(services.chains, 'ALPHA').depositAddresses?.derive
  recipients = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await derive?.(900_000 + n)) ?? ''))
  services.addCampaign({
    name: NAME,
    display_name: 'Spring',
    type: 'default',
    nft_contract: null,
    token: services.catalogue.network('GAMMA').nativeToken,
    fee_share: 0.5,
    budgetUnits: 10n ** 18n,
    minPayoutUnits: EARNED,
    starts_at: '2026-03-01T00:00:00Z',
    ends_at: '2027-03-01T00:00:00Z',
    period_days: 7,
  })
})
afterEach(() => api.stop())
beforeEach(() => pass(1))

/** A recipient that was never paid before. */
const stranger = () => recipients[next++] ?? ''

async function pass(weeks: number): Promise<void> {
  clock = new Date(clock.getTime() + weeks * WEEK_MS)
  await api.services.refresh()
}

async function earn(address: string, amount = 100): Promise<string> {
  const body = { ...ROUTE, destination_address: address, amount }
  const { swap } = await api.ask(CreatedSwap, post('/api/v2/swaps', body))
  await confirmDeposit(api.services, swap.id, await seeDeposit(api.services, swap.id))
  await landSwap(api.services, swap.id)
  return swap.id
}

function payoutsTo(address: string): Promise<PayoutRow[]> {
  const { database } = api.services
  return database
    .selectFrom('payout')
    .selectAll()
    .where('kind', '=', 'reward')
    .where('to_address', '=', address)
    .execute()
}

/** The only active payout. */
async function payoutTo(address: string): Promise<PayoutRow> {
  const [payout, ...more] = (await payoutsTo(address)).filter(({ state }) => state !== 'abandoned')
  if (!payout || more.length > 0) throw new Error(`${more.length + (payout ? 1 : 0)} payouts`)
  return payout
}

async function mine(blocks: number): Promise<void> {
  const { chain } = findChain('GAMMA')
  chain.mine(blocks)
  await landPayouts(api.services, chainOf(api.services.chains, 'GAMMA'), BigInt(chain.height), null)
}

const balance = (address: string) => findChain('GAMMA').chain.balance(address, null)
const shown = (address: string) => api.ask(z.array(RewardPayout), `/api/v2/campaigns/${NAME}/payouts/${address}`)

async function books(account: Account): Promise<bigint> {
  const { units } = await api.services.database
    .selectFrom('ledger_entry')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('units'), eb.val(0n)).as('units'))
    .where('account', '=', account)
    .where('owner', '=', `campaign:${NAME}`)
    .executeTakeFirstOrThrow()
  return BigInt(units)
}

async function ordered(): Promise<bigint> {
  const { database } = api.services
  return (await database.selectFrom('campaign').selectAll().executeTakeFirstOrThrow()).ordered_units
}

test('the rewards of an address are paid in one payout per period, after its end', async () => {
  const [one, other] = [stranger(), stranger()]
  const swaps = [await earn(one), await earn(one)]
  await earn(other)
  await payRewards(api.services)
  expect(await payoutsTo(one)).toEqual([])
  await pass(1)
  await Promise.all([1, 2, 3].map(() => payRewards(api.services)))
  await payRewards(api.services)
  const payout = await payoutTo(one)
  expect(payout.units).toBe(2n * EARNED)
  expect((await payoutTo(other)).units).toBe(EARNED)
  expect(await shown(one)).toMatchObject([{ status: 'pending', period: 1, amount: 0.0005, transaction_id: null }])
  expect(await books('promised')).toBe(-3n * EARNED)

  const before = await Promise.all(swaps.map((id) => api.ask(SwapDetails, `/api/v2/swaps/${id}`)))
  await pay(api.services, payout.id)
  await pay(api.services, payout.id)
  expect(await shown(one)).toMatchObject([{ status: 'initiated' }])
  await mine(2)
  await mine(10)
  await pay(api.services, payout.id)
  await mine(2)
  const { tx_hash } = await payoutTo(one)
  expect(await shown(one)).toMatchObject([{ status: 'completed', amount: 0.0005, transaction_id: tx_hash }])
  expect([balance(one), balance(other)]).toEqual([2n * EARNED, EARNED])
  expect([await books('rewards'), await books('promised')]).toEqual([3n * EARNED, 0n])
  expect(await unbalancedPostings(api.services.database, 1)).toEqual([])
  // The swaps that earned it are unchanged.
  expect(await api.refuse(`/api/v2/swaps/by_transaction_hash/${tx_hash}`)).toMatchObject({ status: 404 })
  expect(await Promise.all(swaps.map((id) => api.ask(SwapDetails, `/api/v2/swaps/${id}`)))).toEqual(before)
  await pass(1)
  await payRewards(api.services)
  expect(await payoutsTo(one)).toHaveLength(1)
})

test('the database refuses a second payout of a period, and one that belongs to a swap', async () => {
  const to = stranger()
  const swapId = await earn(to)
  await pass(1)
  await payRewards(api.services)
  const { id, period, token: key, account, campaign, ...first } = await payoutTo(to)
  const token = api.services.catalogue.token(first.network, key)
  const again = {
    campaign: NAME,
    period: period ?? 0,
    due: { address: to, units: 1n },
    units: 1n,
    token,
    account,
    now: clock,
  }
  await expect(insertRewardPayout(api.services.database, again)).rejects.toThrow('payout_reward')
  const payout = api.services.database.updateTable('payout').where('id', '=', id)
  await expect(payout.set({ swap_id: swapId }).execute()).rejects.toThrow('payout_reward_swap')
  await expect(payout.set({ campaign: null }).execute()).rejects.toThrow('payout_reward_campaign')
})

test('a reward that comes after its period was paid waits for the next, and so does one that is too small', async () => {
  const [late, small] = [stranger(), stranger()]
  const { database } = api.services
  await earn(late)
  const second = await earn(late)
  await earn(small, 60)
  await database.updateTable('reward').set({ period: 1000 }).where('swap_id', '=', second).execute()
  await pass(1)
  await payRewards(api.services)
  const first = await payoutTo(late)
  expect(first.units).toBe(EARNED)
  await database.updateTable('reward').set({ period: 0 }).where('swap_id', '=', second).execute()
  await payRewards(api.services)
  expect(await payoutsTo(late)).toHaveLength(1)
  expect(await payoutsTo(small)).toEqual([])
  await earn(small, 60)
  await pass(1)
  await payRewards(api.services)
  const periods = (await payoutsTo(late)).map(({ period }) => period ?? -1)
  expect(periods.sort((a, b) => a - b)).toEqual([first.period, (first.period ?? 0) + 1])
  expect((await payoutTo(small)).units).toBe((2n * EARNED * 60n) / 100n)
})

test('a reward is paid in transferable units, once it is at least one', async () => {
  const { services } = api
  const to = stranger()
  await earn(to)
  await pass(1)
  const { nativeToken } = services.catalogue.network('GAMMA')
  nativeToken.sentDecimals = 3
  await payRewards(services)
  expect(await payoutsTo(to)).toEqual([])
  nativeToken.sentDecimals = 4
  await payRewards(services)
  const { id, units } = await payoutTo(to)
  expect(units).toBe(200_000_000_000_000n)
  expect([await ordered(), await books('promised')]).toEqual([units, -units])
  await pay(services, id)
  await mine(6)
  expect([balance(to), await books('promised')]).toEqual([units, 0n])
  expect(await unbalancedPostings(services.database, 1)).toEqual([])
  await pass(1)
  await payRewards(services)
  expect(await payoutsTo(to)).toHaveLength(1)
})

test('a swap whose payout was reorged out earns nothing', async () => {
  const to = stranger()
  const swapId = await earn(to)
  const swap = api.services.database.updateTable('swap').where('id', '=', swapId)
  await swap.set({ status: 'ls_transfer_pending' }).execute()
  await pass(1)
  await payRewards(api.services)
  expect(await payoutsTo(to)).toEqual([])
})

test('an ordered reward is held while its swap is reverted, and paid once it completes again', async () => {
  const { services } = api
  const [one, other] = [stranger(), stranger()]
  const swaps = [await earn(one), await earn(other)]
  await earn(other)
  await pass(1)
  await payRewards(services)
  const [{ id }, { id: otherId }] = [await payoutTo(one), await payoutTo(other)]
  const output = { kind: 'output', depositId: null, from: chainOf(services.chains, 'BETA').treasury } as const
  for (const swapId of swaps) await applyEvent(services, swapId, { type: 'payout_undone', ...output })
  await pay(services, id)
  await pay(services, otherId)
  expect([await payoutTo(one), await payoutTo(other)]).toMatchObject([{ started: false }, { started: false }])
  for (const each of [id, otherId]) expect(await holdOf(services.database, each)).toEqual({ code: 'reward_unearned' })
  await applyEvent(services, swaps[0] ?? '', { type: 'payout_confirmed', ...output })
  await pay(services, id)
  await mine(6)
  // The other swap never completes: an operator releases its reward, and the rest is paid.
  await admin(services, 'payout', 'reject', ...(await holdWords(services.database, otherId)))
  await pay(services, otherId)
  await admin(services, 'campaign', 'retry', '--payout', otherId)
  await payRewards(services)
  await pay(services, (await payoutTo(other)).id)
  await mine(6)
  expect([balance(one), balance(other)]).toEqual([EARNED, EARNED])
})

test('pauses, approvals, screening and halted wallets hold a reward like any payout', async () => {
  const { services } = api
  const to = stranger()
  await earn(to)
  await pass(1)
  await payRewards(services)
  const { id, account } = await payoutTo(to)
  const held = async () => {
    await pay(services, id)
    const { started } = await payoutTo(to)
    expect(started).toBe(false)
    return holdOf(services.database, id)
  }
  const without = async (words: string[], ...back: string[]) => {
    await admin(services, ...words)
    const hold = await held()
    await admin(services, ...back)
    return hold
  }
  const pause = ['campaign', 'pause', '--name', NAME, '--what', 'payouts', '--reason', 'a look']
  expect(await without(pause, 'campaign', 'resume', '--name', NAME)).toEqual({
    ...{ code: 'paused', scope: `campaign:${NAME}`, note: 'a look' },
  })
  const halt = ['--network', 'GAMMA', '--wallet', account]
  await admin(services, 'wallet', 'halt', ...halt, '--reason', 'stolen')
  expect(await held()).toEqual({ code: 'wallet_halted', causes: ['operator'] })
  await admin(services, 'wallet', 'release', ...(await releaseWords(services.database, 'GAMMA', account)))
  const limit = ['--kind', 'approval_above', '--scope', `campaign:${NAME}`]
  expect(await without(['limit', 'set', ...limit, '--usd', '0.1'], 'limit', 'clear', ...limit)).toMatchObject({
    code: 'approval_needed',
  })
  const outflow = ['--kind', 'daily_outflow', '--scope', 'network:GAMMA']
  expect(await without(['limit', 'set', ...outflow, '--usd', '0.1'], 'limit', 'clear', ...outflow)).toEqual({
    code: 'outflow_limit',
  })
  const { screener } = services
  services.screener = { name: 'test', screen: async ([suspect]) => (suspect ? { ...suspect, reason: 'listed' } : null) }
  expect(await held()).toEqual({ code: 'screened', address: to, listing: 'listed' })
  services.screener = screener
  await pay(services, id)
  await mine(6)
  expect(balance(to)).toBe(EARNED)
})

test('a rejected reward is not ordered again until an operator says so', async () => {
  const { services } = api
  const to = stranger()
  await earn(to)
  await pass(1)
  await payRewards(services)
  const before = [await ordered(), await books('promised')]
  const { id } = await payoutTo(to)
  await admin(services, 'payout', 'reject', ...(await holdWords(services.database, id)))
  await pay(services, id)
  await pay(services, id)
  await payRewards(services)
  expect((await payoutsTo(to)).map(({ state }) => state)).toEqual(['abandoned'])
  expect([await ordered(), await books('promised')]).toEqual([(before[0] ?? 0n) - EARNED, (before[1] ?? 0n) + EARNED])
  expect(await shown(to)).toEqual([])
  await admin(services, 'campaign', 'retry', '--payout', id)
  await payRewards(services)
  await pay(services, (await payoutTo(to)).id)
  await mine(6)
  expect(balance(to)).toBe(EARNED)
  await expect(admin(services, 'campaign', 'retry', '--payout', id)).rejects.toThrow('another payout')
})

test('a reward that failed for a temporary reason is ordered again and paid once', async () => {
  const { services } = api
  const to = stranger()
  await earn(to)
  await pass(1)
  await payRewards(services)
  const { id } = await payoutTo(to)
  const chain = chainOf(services.chains, 'GAMMA')
  const { prepare } = chain
  chain.prepare = async () => {
    throw new RetryLater('no node answers')
  }
  await pay(services, id)
  clock = new Date(clock.getTime() + services.config.payoutGiveUpMs)
  await pay(services, id)
  chain.prepare = prepare
  await services.refresh()
  await payRewards(services)
  expect((await payoutsTo(to)).map(({ state }) => state).sort()).toEqual(['abandoned', 'open'])
  await pay(services, id)
  await pay(services, (await payoutTo(to)).id)
  await mine(6)
  expect(balance(to)).toBe(EARNED)
})

test('a confirmed reward that is reorged out is owed again, and repaid in another slot on approval', async () => {
  const { services } = api
  const [to, elsewhere] = [stranger(), stranger()]
  await earn(to)
  await pass(1)
  await payRewards(services)
  const { id, account } = await payoutTo(to)
  await mine(6)
  await pay(services, id)
  await mine(2)
  expect((await payoutTo(to)).state).toBe('confirmed')
  const promised = await books('promised')
  const slot = (await liveSlot(services.database, id))?.slot.parts ?? []
  findChain('GAMMA').chain.reorg(2)
  // Another holder of the wallet's key uses its nonce.
  const chain = chainOf(services.chains, 'GAMMA')
  const transfers = [{ to: elsewhere, amount: { token: chain.network.nativeToken, units: 7n } }]
  const theft = { kind: 'transfers', account, transfers } as const
  await chain.broadcast(await chain.sign(theft, slot, await chain.prepare(theft, null)))
  findChain('GAMMA').chain.mine(10)
  const { height } = findChain('GAMMA').chain
  await landPayouts(services, chain, BigInt(height), 0n)
  expect((await payoutTo(to)).state).toBe('open')
  expect(await books('promised')).toBe(promised - EARNED)
  await pay(services, id)
  await mine(6)
  expect([balance(to), (await payoutTo(to)).held_by]).toEqual([0n, 'undone'])
  await admin(services, 'payout', 'approve', ...(await holdWords(services.database, id)))
  await pay(services, id)
  await mine(6)
  expect([balance(to), (await payoutTo(to)).state]).toEqual([EARNED, 'confirmed'])
})

test('swaps come first: a reward waits until the wallet holds enough', async () => {
  const { services } = api
  const to = stranger()
  await earn(to)
  await pass(1)
  const { market } = services
  services.market = { ...market, balance: (token) => ({ units: 0n, at: market.balance(token)?.at ?? clock }) }
  await payRewards(services)
  expect(await payoutsTo(to)).toEqual([])
  services.market = market
  await payRewards(services)
  expect((await payoutTo(to)).units).toBe(EARNED)
})
