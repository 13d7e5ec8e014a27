/**
 * The process is killed with SIGKILL at every external call of the path and restarted: every swap ends correctly, and
 * its payout is mined exactly once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, finish, serve } from '../../support/processes/crashing.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { clientOf } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'

let world: World

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '3' }, false)
})
afterAll(() => world.stop())

it.each([
  'after:scan',
  'after:inspect',
  'before:prepare',
  'after:prepare',
  'after:nextSlot',
  'before:sign',
  'after:sign',
  'after:journal',
  'before:broadcast',
  'after:broadcast',
  'after:status',
])('killed %s, the swap still completes and is paid once', async (crashAt) => {
  const usdc = world.token(TO, 'USDC')
  const recipient = world.stranger()
  const doomed = await serve(world, crashAt)
  const client = clientOf(world.sandbox.url)
  const swap = await eventually(
    () =>
      client.create({
        source_network: FROM,
        source_token: 'ETH',
        destination_network: TO,
        destination_token: 'USDC',
        destination_address: recipient,
        amount: 0.1,
      }),
    'a swap to be created',
  )
  await world.deposit(world.token(FROM, 'ETH'), actionOf(swap))
  expect(await ended(doomed)).toBe('SIGKILL')
  const healthy = await serve(world)
  const done = await client.reaches(swap.swap.id, 'completed')
  expect(done.swap.transactions.filter(({ type }) => type === 'output')).toHaveLength(1)
  expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
  await finish(world, healthy)
  const attempts = await world.query<{ slots: string }>(
    `select count(distinct slot_id) as slots from slot_payout join payout on payout.id = payout_id where swap_id = $1`,
    [swap.swap.id],
  )
  expect(attempts).toEqual([{ slots: '1' }])
})
