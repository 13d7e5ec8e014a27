/** A sender of a small deposit to another user's deposit address may set the refund address of that deposit only. */
import { CreatedSwap, Nothing, refundAddressText, SwapDetails, SwapProgress } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signText } from '../../../../../chains/simulated/local/src/account.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import {
  confirmDeposit,
  openPayouts,
  seeDeposit,
  takeAddresses,
} from '../../../../../tests/support/service/progress.ts'
import { applyEvent } from '../../../flow/swap/advance.ts'

const victim = accountFrom('victim')
const thief = accountFrom('thief')
const loot = accountFrom('loot').address
const home = accountFrom('home').address

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const read = async (id: string) => (await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap

async function create(): Promise<string> {
  const destination_address = accountFrom('recipient').address
  const body = { ...ROUTE, destination_address, amount: 100, use_deposit_address: true }
  return (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap.id
}

async function send(id: string, { address }: { address: string }, units?: bigint): Promise<void> {
  const fields = { refundableSender: address, fundingAddresses: [address] }
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, fields, units))
}

async function claim(id: string, by: typeof thief, refundAddress: string): Promise<void> {
  const signature = signText(by, refundAddressText({ swapId: id, network: 'ALPHA', refundAddress }))
  await api.ask(Nothing, post(`/api/v2/swaps/${id}/refund_address`, { refund_address: refundAddress, signature }))
  await takeAddresses(api.services)
}

const paidTo = async (id: string, address: string) =>
  (await openPayouts(api.services, id))
    .filter(({ to_address }) => to_address === address)
    .reduce((sum, { units, kept_units }) => sum + units + kept_units, 0n)

test('a sender has no say over another sender’s deposit', async () => {
  const id = await create()
  await send(id, victim)
  await applyEvent(api.services, id, { type: 'tick' })
  expect((await read(id)).status).toBe('ls_transfer_pending')
  // While the victim's output waits (for an approval or a pause), the thief sends five to the same address.
  await send(id, thief, 5_000_000n)
  await claim(id, thief, loot)
  const progress = await api.ask(SwapProgress, `/api/v2/swaps/${id}/progress`)
  expect([(await read(id)).refund_address, progress.refund.address]).toEqual([null, null])
  // The output cannot be paid: refused by the chain, or rejected by an operator.
  await applyEvent(api.services, id, { type: 'payout_abandoned', kind: 'output', depositId: null, rejected: true })
  expect(await paidTo(id, loot)).toBe(5_000_000n)
  expect((await read(id)).owed).toMatchObject({ amount: 100, needs_address: true })
  await claim(id, victim, home)
  expect([await paidTo(id, loot), await paidTo(id, home)]).toEqual([5_000_000n, 100_000_000n])
})

test('a late deposit is refunded to its own sender, not to an earlier claimant', async () => {
  const id = await create()
  const past = new Date(Date.now() - 1_000)
  await api.services.database.updateTable('swap').set({ expires_at: past }).where('id', '=', id).execute()
  await applyEvent(api.services, id, { type: 'tick' })
  expect((await read(id)).status).toBe('expired')
  await send(id, thief, 20n)
  expect((await read(id)).status).toBe('pending_refund')
  await claim(id, thief, loot)
  // The exchange's withdrawal arrives at last.
  await send(id, victim)
  expect(await paidTo(id, loot)).toBe(20n)
  expect((await read(id)).owed).toMatchObject({ amount: 100, needs_address: true })
})
