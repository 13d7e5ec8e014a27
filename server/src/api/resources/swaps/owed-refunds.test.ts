/**
 * Money that cannot be refunded automatically: the swap shows the amount and what to do, and it stays in the operator's
 * list.
 */
import { CreatedSwap, ListedSwap, Nothing, refundAddressText, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { accountFrom, signText } from '../../../../../chains/simulated/local/src/account.ts'
import { admin } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import {
  confirmDeposit,
  landPayouts,
  openPayouts,
  seeDeposit,
  takeAddresses,
} from '../../../../../tests/support/service/progress.ts'
import { applyEvent } from '../../../flow/swap/advance.ts'

const HOUR_MS = 3_600_000
const sender = accountFrom('sender')
const home = accountFrom('home').address
const recipient = accountFrom('recipient').address

const started: TestApi[] = []
let clock: Date
let api: TestApi
beforeEach(async () => {
  clock = new Date('2026-03-01T12:00:00Z')
  api = await startApi({ DEPOSIT_WINDOW_SECONDS: '3600' }, () => clock)
  started.push(api)
})
afterAll(async () => {
  for (const one of started) await one.stop()
})

async function create(fields: object = {}): Promise<string> {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, destination_address: recipient, use_deposit_address: true, amount: 100, ...fields }
  return (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap.id
}
const read = async (id: string) => (await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap
const pay = async (id: string, units: bigint) =>
  confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: sender.address }, units))
const owedList = () => admin(api.services, 'swap', 'list', '--owed')

/** The window passes and the swap is processed, with fresh prices or with none. */
async function closeWindow(id: string, withPrices = true): Promise<void> {
  clock = new Date(clock.getTime() + 2 * HOUR_MS)
  if (withPrices) await api.services.refresh()
  await applyEvent(api.services, id, { type: 'tick' })
}

/** Does what the worker does with a stored job. */
async function give(id: string): Promise<void> {
  const text = refundAddressText({ swapId: id, network: 'ALPHA', refundAddress: home })
  const body = { refund_address: home, signature: signText(sender, text) }
  await api.ask(Nothing, post(`/api/v2/swaps/${id}/refund_address`, body))
  await takeAddresses(api.services)
}

test.each([
  ['over the maximum', 60_000_000_000n, 60_000, 'received_more_than_valid_range'],
  ['below the minimum', 900_000n, 0.9, 'received_less_than_valid_range'],
])(
  '%s without a refund address is owed, shown with the amount, and paid once one is given',
  async (_, units, amount, fail_reason) => {
    const id = await create()
    await pay(id, units)
    await closeWindow(id)
    const held = await read(id)
    const owed = { amount, amount_in_base_units: `${units}`, address: null, needs_address: true }
    expect(held).toMatchObject({ status: 'pending_refund', fail_reason, close_date: null, owed })
    expect(held.owed?.message).toMatch(
      new RegExp(`^${amount} USDC on ALPHA is owed .*POST /api/v2/swaps/${id}/refund_address`),
    )
    const [listed] = await api.ask(z.array(ListedSwap), `/api/v2/swaps?address=${recipient}`)
    expect(listed?.swap.owed).toEqual(held.owed)
    expect(await owedList()).toMatch(new RegExp(`${id} +pending_refund +${fail_reason} +ALPHA +\\S+ +${units} `))

    await give(id)
    expect(await read(id)).toMatchObject({ status: 'refund_pending', fail_reason, owed: null, refund_address: home })
    expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: home }])
    expect(await owedList()).toBe('nothing is owed')
    await landPayouts(api.services, id)
    expect(await read(id)).toMatchObject({ status: 'refunded', fail_reason, owed: null })
  },
)

test('a deposit to a finished swap is owed too, and does not change its status', async () => {
  const id = await create()
  await pay(id, 100_000_000n)
  await landPayouts(api.services, id)
  await pay(id, 70_000_000n)
  expect(await read(id)).toMatchObject({ status: 'completed', owed: { amount: 70, needs_address: true } })
  expect((await read(id)).owed?.message).toMatch(new RegExp(`https?://[^ ]+/swap/${id}, `))
  expect(await owedList()).toContain(id)
  await give(id)
  expect(await read(id)).toMatchObject({ status: 'completed', owed: null })
})

test('with a known address the swap says that the refund is automatic', async () => {
  const id = await create({ refund_address: home })
  await pay(id, 100_000_000n)
  await landPayouts(api.services, id)
  // Much later, without prices: the cost of the refund is unknown.
  clock = new Date(clock.getTime() + 2 * HOUR_MS)
  await pay(id, 70_000_000n)
  expect((await read(id)).owed).toMatchObject({ amount: 70, address: home, needs_address: false })
  expect((await read(id)).owed?.message).toContain(`goes back to ${home} by itself`)
  await api.services.refresh()
  await applyEvent(api.services, id, { type: 'tick' })
  expect((await read(id)).owed).toBe(null)
})

test('a swap that cannot be decided after its window is in the operator’s list', async () => {
  const id = await create()
  await pay(id, 900_000n)
  expect(await owedList()).toBe('nothing is owed')
  await closeWindow(id, false)
  expect((await read(id)).status).toBe('expired')
  expect(await owedList()).toMatch(new RegExp(`${id} +expired`))
})
