/** Exchanges through a private endpoint: included, refused, or held for ever. No recipient is paid twice, and no node sees one. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control } from '../../support/chains/evm.ts'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { type SimulatedEndpoint, startPrivateEndpoint } from '../../support/exchanges/private-endpoint.ts'
import { actionOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'
/** A cancellation must be final before the swap is refunded. */
const PATIENCE_MS = 90_000

let world: PoolWorld
let endpoint: SimulatedEndpoint

beforeAll(async () => {
  endpoint = await startPrivateEndpoint((bytes) => control(world, TO, 'eth_sendRawTransaction', bytes))
  world = await startPoolWorld([FROM, TO], {
    ...{ PAYOUT_PATIENCE_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
    [`PRIVATE_SUBMISSION_${TO}`]: `eth_sendPrivateTransaction ${endpoint.url}`,
  })
})
afterAll(async () => {
  await world.stop()
  await endpoint.stop()
})

async function deposited() {
  const [recipient, refundee] = [world.stranger(), world.stranger()]
  const body = {
    ...{ source_network: FROM, source_token: 'USDC', destination_network: TO, destination_token: 'GEM' },
    ...{ destination_address: recipient, refund_address: refundee, amount: 100 },
  }
  const swap = await eventually(() => world.client.create(body), 'a swap')
  await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
  const gem = () => world.balance(world.token(TO, 'GEM'), recipient)
  const usdc = () => world.balance(world.token(FROM, 'USDC'), refundee)
  return { id: swap.swap.id, gem, usdc }
}

async function attemptsOf(id: string) {
  return world.query<{ bytes: string; cancels: boolean; accepted_at: Date | null }>(
    `select bytes, cancels, accepted_at from attempt
     join slot_payout on slot_payout.slot_id = attempt.slot_id join payout on payout.id = payout_id
     where swap_id = $1 and leg is not null`,
    [id],
  )
}

/** The term of each exchange on its way is over. */
async function lapse(): Promise<void> {
  await world.query(
    `update payout set leg = jsonb_set(leg, '{deadline}', to_jsonb('2026-01-01T00:00:00.000Z'::text))
     where leg is not null and state = 'open' and started`,
  )
}

it('an exchange that the endpoint includes completes its swap', async () => {
  const swap = await deposited()
  await world.client.reaches(swap.id, 'completed')
  const [row] = await world.query<{ received_units: string }>(
    "select received_units from payout where swap_id = $1 and kind = 'output'",
    [swap.id],
  )
  expect(await swap.gem()).toBe(BigInt(row?.received_units ?? 0))
  expect(endpoint.asked.map(({ method }) => method)).toContain('eth_sendPrivateTransaction')
})

it.each(['never', 'down'] as const)(
  'the endpoint in the mode %s: the exchange is cancelled when it has lapsed, and the swap is refunded',
  async (mode) => {
    endpoint.mode = mode
    const swap = await deposited()
    await eventually(async () => (await attemptsOf(swap.id)).length > 0, 'the exchange to be signed')
    await eventually(
      async () => {
        await lapse()
        return (await world.client.swap(swap.id)).swap.status === 'refunded'
      },
      'the swap to be refunded',
      PATIENCE_MS,
    )
    // The bytes that the endpoint still holds can no longer be mined.
    await endpoint.include()
    expect(await swap.gem()).toBe(0n)
    expect(await swap.usdc()).toBeGreaterThan(90n * 10n ** 6n)
    const attempts = await attemptsOf(swap.id)
    expect(attempts.some(({ cancels }) => cancels)).toBe(true)
    endpoint.mode = 'include'
  },
  2 * PATIENCE_MS,
)

it('no exchange was sent to a public node: all that were mined had been at the endpoint', async () => {
  const sent = new Set(endpoint.asked.map(({ params }) => (params[0] as { tx: string }).tx))
  const mined = await world.query<{ bytes: string }>(
    `select bytes from attempt join payout on payout.tx_hash = attempt.hash where leg is not null`,
  )
  expect(mined.length).toBeGreaterThan(0)
  for (const { bytes } of mined) expect(sent.has(bytes)).toBe(true)
})
