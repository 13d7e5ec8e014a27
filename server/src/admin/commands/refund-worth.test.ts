/** Setting a refund address under dual control: the value is everything that could go there. */

import { CreatedSwap } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { holdWords } from '../../../../tests/support/service/holds.ts'
import { confirmDeposit, openPayouts, seeDeposit, takeAddresses } from '../../../../tests/support/service/progress.ts'
import { pay } from '../../flow/payouts/pay.ts'
import { applyEvent } from '../../flow/swap/advance.ts'
import { runCommand } from '../cli/run.ts'
import type { CommandContext } from '../context/command-context.ts'
import { swapCommands } from './swap.ts'

const own = accountFrom('operator').address
const victim = { refundableSender: accountFrom('victim').address }

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const UNDONE = 'nothing is done yet'

function desk(print: (line: string) => void): CommandContext {
  const { database, now } = api.services
  const worth = (_: string, __: string, units: bigint) => Number(units) / 1e6
  return { database, now, worth, fourEyesUsd: 40, actor: 'mallory', role: 'operator', sign: () => '', print }
}

async function mallory(...words: string[]): Promise<string> {
  const lines: string[] = []
  await runCommand(
    desk((line) => lines.push(line)),
    words,
  )
  return lines.join('\n')
}

/** A swap of a thousand whose output is ordered. */
async function ordered(units = 1_000_000_000n): Promise<{ id: string; outputId: string }> {
  const destination_address = accountFrom('recipient').address
  const body = { ...ROUTE, destination_address, amount: 1_000, use_deposit_address: true, slippage: 0.001 }
  const { id } = (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap
  await send(id, victim, units)
  await applyEvent(api.services, id, { type: 'tick' })
  const [output] = await openPayouts(api.services, id)
  expect(output).toMatchObject({ kind: 'output' })
  return { id, outputId: output?.id ?? '' }
}

async function send(id: string, by: { refundableSender: string }, units: bigint): Promise<string> {
  const depositId = await seeDeposit(api.services, id, by, units)
  await confirmDeposit(api.services, id, depositId)
  return depositId
}

const refund = (id: string) => mallory('swap', 'refund', '--id', id, '--to', own)

test('two cheap commands of one operator cannot replace an approval by two people', async () => {
  const { id, outputId } = await ordered()
  // Five dollars of the attacker's own, to the same address.
  await send(id, { refundableSender: own }, 5_000_000n)
  expect(await refund(id)).not.toContain(UNDONE)
  await takeAddresses(api.services)
  expect(await mallory('payout', 'reject', ...(await holdWords(api.services.database, outputId)))).not.toContain(UNDONE)
  await pay(api.services, outputId)
  const given = (await openPayouts(api.services, id)).filter(({ to_address }) => to_address === own)
  expect(given.reduce((sum, { units, kept_units }) => sum + units + kept_units, 0n)).toBe(5_000_000n)
  expect(await refund(id)).toContain(UNDONE)
})

test('the rest of a deposit counts with its full value while its output may be given up', async () => {
  const { id } = await ordered()
  const [deposit] = await api.services.database.selectFrom('deposit').selectAll().where('swap_id', '=', id).execute()
  // Thirty dollars were in excess and wait for a refund address.
  const more = { units: 1_030_000_000n }
  await api.services.database
    .updateTable('deposit')
    .set(more)
    .where('id', '=', deposit?.id ?? '')
    .execute()
  expect(await refund(id)).toContain(UNDONE)
  await api.services.database.updateTable('swap').set({ status: 'completed' }).where('id', '=', id).execute()
  expect(await refund(id)).not.toContain(UNDONE)
})

test('money that arrives between the valuation and the command is not given away', async () => {
  const { id } = await ordered()
  await send(id, { refundableSender: own }, 5_000_000n)
  await send(id, victim, 900_000_000n)
  const given = { names: [], values: { id, to: own }, flags: new Set<string>() }
  // As if its value had been computed before the victim's money arrived.
  await expect(
    swapCommands.refund?.run(
      desk(() => undefined),
      given,
    ),
  ).rejects.toThrow('has changed')
  const seen = { seen: 'what stood there when it was asked for' }
  await expect(swapCommands.refund?.run({ ...desk(() => undefined), ...seen }, given)).rejects.toThrow('has changed')
  await takeAddresses(api.services)
  expect((await openPayouts(api.services, id)).filter(({ to_address }) => to_address === own)).toEqual([])
})

test('the last address that was named before anything was ordered is the one that is paid', async () => {
  const { id } = await ordered()
  await send(id, { refundableSender: accountFrom('a third').address }, 5_000_000n)
  const [mistyped, right] = ['mistyped', 'right'].map((name) => accountFrom(name).address)
  // The service is down, or no node answers it: the first decision was not processed when the second is made.
  await mallory('swap', 'refund', '--id', id, '--to', mistyped ?? '')
  expect(await mallory('swap', 'refund', '--id', id, '--to', right ?? '')).toContain(`goes to ${right}`)
  await takeAddresses(api.services)
  const back = (await openPayouts(api.services, id)).filter(({ kind }) => kind !== 'output')
  expect(back.map(({ to_address }) => to_address)).toEqual([right])
})
