/** The process is killed with SIGKILL between the steps of a swap with two exchanges: each is made exactly once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { ended, finish, serve } from '../../support/processes/crashing.ts'
import { actionOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { clientOf } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'
const UNITS = 40n * 10n ** 18n

/** Each of them holds once in the life of the swap. */
const MOMENTS = [
  "kind = 'admin' and started",
  "kind = 'sale' and started",
  "kind = 'sale' and sent_at is not null",
  "kind = 'sale' and state = 'confirmed'",
  "kind = 'output' and started",
  "kind = 'output' and sent_at is not null",
]

let world: PoolWorld

beforeAll(async () => {
  world = await startPoolWorld([FROM, TO], {}, false)
  await world.devnet(FROM).fund(world.token(FROM, 'GEM'), world.account(FROM, 0).address, UNITS)
})
afterAll(() => world.stop())

it('killed between its steps, the deposit is sold once and the recipient is paid once', async () => {
  const client = clientOf(world.sandbox.url)
  const gem = world.token(TO, 'GEM')
  const [recipient, refund] = [world.stranger(), world.stranger()]
  let server = await serve(world)
  const swap = await eventually(
    () =>
      client.create({
        ...{ source_network: FROM, source_token: 'GEM', destination_network: TO, destination_token: 'GEM', amount: 40 },
        ...{ destination_address: recipient, refund_address: refund },
      }),
    'a swap to be created',
  )
  const sold = await world.quote(FROM, 'sale', UNITS)
  await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
  for (const moment of MOMENTS) {
    await eventually(async () => (await world.query(`select 1 from payout where ${moment}`)).length > 0, moment)
    server.kill('SIGKILL')
    await ended(server)
    server = await serve(world)
  }
  await client.reaches(swap.swap.id, 'completed')
  const payouts = await world.query<{ kind: string; received_units: string }>(
    `select kind, received_units
     from payout where swap_id = $1 and state = 'confirmed' order by number`,
    [swap.swap.id],
  )
  expect(payouts).toMatchObject([{ kind: 'sale', received_units: `${sold}` }, { kind: 'output' }])
  expect(await world.balance(gem, recipient)).toBe(BigInt(payouts[1]?.received_units ?? 0))
  // All GEM that was deposited is in the pool, and none is left in our wallet.
  expect(await world.balance(world.token(FROM, 'GEM'), world.sandbox.treasuries[FROM] ?? '')).toBe(0n)
  await finish(world, server)
}, 180_000)
