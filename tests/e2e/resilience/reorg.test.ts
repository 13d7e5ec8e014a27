/** Reorgs around the payout: rules 11 and 12, on a real chain whose blocks are really replaced. */
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'BASE_SEPOLIA'
/** Enough value for the network's last tier: four confirmations, so that a reorg can come before them. */
const DEAR = 5

let world: World
let eth: Token
let usdc: Token

beforeAll(async () => {
  world = await startWorld()
  eth = world.token(FROM, 'ETH')
  usdc = world.token(TO, 'USDC')
  // Blocks are mined only for transactions and on demand, so that the newest one has the deposit.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_setIntervalMining', params: [0] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(world.devnet(FROM).nodes[FROM] ?? '', { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ result: true })
})
afterAll(() => world.stop())

function swapFor(amount: number): Promise<WireSwap> {
  return world.client.create({
    source_network: FROM,
    source_token: 'ETH',
    destination_network: TO,
    destination_token: 'USDC',
    destination_address: world.stranger(),
    amount,
  })
}

async function stateOf(swapId: string): Promise<string[]> {
  const rows = await world.query<{ state: string }>('select state from deposit where swap_id = $1', [swapId])
  return rows.map(({ state }) => state)
}

it('row 11: a deposit reorged out before the payout leaves the swap waiting; resent, it completes once', async () => {
  const swap = await swapFor(DEAR)
  await world.deposit(eth, actionOf(swap))
  await eventually(async () => (await stateOf(swap.swap.id)).includes('seen'), 'the deposit to be seen')
  await world.devnet(FROM).reorg(FROM, 1)
  await eventually(
    async () => (await stateOf(swap.swap.id)).every((state) => state === 'gone'),
    'the deposit to be gone',
  )
  await world.devnet(FROM).mine(FROM, 8)
  expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
  await world.deposit(eth, actionOf(swap))
  await world.devnet(FROM).mine(FROM, 4)
  const ended = await world.client.reaches(swap.swap.id, 'completed')
  const output = ended.swap.transactions.filter(({ type }) => type === 'output')
  expect(output).toHaveLength(1)
  expect(await world.balance(usdc, output[0]?.to ?? '')).toBe(unitsOf(swap.quote.receive_amount, usdc))
})

it('row 12: a deposit reorged out after the payout is a recorded loss, and its return pays nothing', async () => {
  // The sender's earlier deposits are final, so the next deposit has its own tier.
  await world.devnet(FROM).mine(FROM, 80)
  await eventually(
    async () =>
      (await world.query("select id from deposit where state = 'confirmed' and not final and network = $1", [FROM]))
        .length === 0,
    'the deposits before to be final',
  )
  const swap = await swapFor(0.1)
  const action = actionOf(swap)
  await world.deposit(eth, action)
  const paid = await world.client.reaches(swap.swap.id, 'completed')
  const recipient = paid.swap.transactions.find(({ type }) => type === 'output')?.to ?? ''
  await world.devnet(FROM).reorg(FROM, 1)
  await eventually(async () => (await stateOf(swap.swap.id)).includes('lost'), 'the loss to be noticed')
  const losses = await world.query<{ units: string }>(
    "select units from ledger_entry where swap_id = $1 and account = 'loss'",
    [swap.swap.id],
  )
  expect(losses).toEqual([{ units: '100000000000000000' }])
  // The sender's nonce was rolled back too: the same signed bytes are mined again, under the same hash.
  await world.deposit(eth, action)
  await world.devnet(FROM).mine(FROM, 8)
  await eventually(async () => !(await stateOf(swap.swap.id)).includes('lost'), 'the loss to be made good')
  const sum = await world.query<{ total: string }>(
    "select sum(units) as total from ledger_entry where swap_id = $1 and account = 'loss'",
    [swap.swap.id],
  )
  expect(sum).toEqual([{ total: '0' }])
  const ended = await world.client.swap(swap.swap.id)
  expect(ended.swap.status).toBe('completed')
  expect(ended.swap.transactions.filter(({ type }) => type === 'output')).toHaveLength(1)
  expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
})
