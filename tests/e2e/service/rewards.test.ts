/**
 * A reward through the whole service: the process is killed with SIGKILL at every step between ordering and broadcast,
 * and restarted. The reward is paid once, to the right address, and the swap that earned it is unchanged.
 */
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Token } from '@causeway/core'
import type { RewardPayout } from '@causeway/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, finish, serve } from '../../support/processes/crashing.ts'
import { actionOf, startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { clientOf } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'
const PAID_ON = 'BASE_SEPOLIA'
const DAY_MS = 86_400_000

/** Ordered only; with a slot; signed but not stored; stored but not sent; sent but not recorded. */
const MOMENTS = ['before:prepare', 'after:nextSlot', 'after:sign', 'before:broadcast', 'after:broadcast']

let world: World
let usdc: Token
const earners = new Map<string, { address: string; swapId: string }>()

beforeAll(async () => {
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'causeway-campaigns-')), 'campaigns.json')
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const token = { network: PAID_ON, symbol: 'USDC' }
  const terms = { type: 'default', token, fee_share: 0.5, budget: '1000', period_days: 1 }
  const campaign = { name: 'spring', display_name: 'Spring', ...terms, starts_at: at(-10), ends_at: at(10) }
  writeFileSync(file, JSON.stringify([campaign]))
  world = await startWorld({ STUCK_AFTER_SECONDS: '3', CAMPAIGNS_FILE: file, SERVICE_FEE_BPS: '500' }, false)
  usdc = world.token(PAID_ON, 'USDC')
  const server = await serve(world)
  const client = clientOf(world.sandbox.url)
  for (const moment of MOMENTS) {
    const address = world.stranger()
    const route = { source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' }
    const body = { ...route, destination_address: address, amount: 0.1 }
    const swap = await eventually(() => client.create(body), 'a swap to be created')
    await world.deposit(world.token(FROM, 'ETH'), actionOf(swap))
    earners.set(moment, { address, swapId: swap.swap.id })
  }
  for (const { swapId } of earners.values()) await client.reaches(swapId, 'completed')
  await finish(world, server)
})
afterAll(() => world.stop())

async function payoutsOf(address: string): Promise<RewardPayout[]> {
  const answer = await fetch(`${world.sandbox.url}/api/v2/campaigns/spring/payouts/${address}`)
  return ((await answer.json()) as { data: RewardPayout[] }).data
}

it.each(MOMENTS)('killed %s, the reward is paid once', async (moment) => {
  const { address, swapId } = earners.get(moment) ?? { address: '', swapId: '' }
  const [reward] = await world.query<{ units: string }>('select units from reward where swap_id = $1', [swapId])
  expect(await world.balance(usdc, address)).toBe(0n)
  // The reward's period is over.
  await world.query('update reward set period = 0 where swap_id = $1', [swapId])
  const doomed = await serve(world, moment)
  expect(await ended(doomed)).toBe('SIGKILL')
  const healthy = await serve(world)
  const [payout, ...more] = await eventually(async () => {
    const payouts = await payoutsOf(address)
    return payouts[0]?.status === 'completed' && payouts
  }, 'the reward to be paid')
  expect(more).toEqual([])
  expect(payout?.transaction_id).toMatch(/^0x/)
  expect(await world.balance(usdc, address)).toBe(BigInt(reward?.units ?? 0))
  expect((await clientOf(world.sandbox.url).swap(swapId)).swap.status).toBe('completed')
  await finish(world, healthy)
  const slots = await world.query<{ slots: string }>(
    `select count(distinct slot_id) as slots from slot_payout join payout on payout.id = payout_id
     where kind = 'reward' and to_address = (select address from reward where swap_id = $1)`,
    [swapId],
  )
  expect(slots).toEqual([{ slots: '1' }])
})

it('the ledger agrees: the campaign’s cost was paid, and nothing is owed', async () => {
  const sums = await world.query<{ account: string; units: string }>(
    `select account, sum(units) as units from ledger_entry where owner = 'campaign:spring' group by account order by 1`,
  )
  const [{ paid = '' } = {}] = await world.query<{ paid: string }>(
    `select sum(units) as paid from payout where kind = 'reward' and state = 'confirmed'`,
  )
  expect(sums).toEqual([
    { account: 'promised', units: '0' },
    { account: 'rewards', units: paid },
  ])
  expect(await world.query('select earned_units = ordered_units as equal from campaign')).toEqual([{ equal: true }])
})
