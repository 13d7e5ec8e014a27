/** An operator who mistyped the address of a refund says it again: as with what matched no swap, the last word counts. */
import { CreatedSwap } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { post, startApi, type TestApi } from '../../../tests/support/api.ts'
import { confirmDeposit, openPayouts, seeDeposit, takeAddresses } from '../../../tests/support/progress.ts'
import { applyEvent } from '../flow/advance.ts'
import type { Desk } from './desk.ts'
import { runCommand } from './run.ts'

const [mistyped, right] = ['mistyped', 'right'].map((name) => accountFrom(name).address)
const victim = { from: accountFrom('victim').address }

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }

function desk(print: (line: string) => void): Desk {
  const { database, now } = api.services
  const worth = (_: string, __: string, units: bigint) => Number(units) / 1e6
  return { database, now, worth, actor: 'admin', role: 'operator', sign: () => '', print }
}

async function admin(...words: string[]): Promise<string> {
  const lines: string[] = []
  await runCommand(
    desk((line) => lines.push(line)),
    words,
  )
  return lines.join('\n')
}

/** A swap of a thousand whose output is ordered. */
async function ordered(units = 1_000_000_000n): Promise<string> {
  const destination_address = accountFrom('recipient').address
  const body = { ...ROUTE, destination_address, amount: 1_000, use_deposit_address: true, slippage: 0.001 }
  const { id } = (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap
  await send(id, victim, units)
  await applyEvent(api.services, id, { type: 'tick' })
  const [output] = await openPayouts(api.services, id)
  expect(output).toMatchObject({ kind: 'output' })
  return id
}

async function send(id: string, by: { from: string }, units: bigint): Promise<string> {
  const depositId = await seeDeposit(api.services, id, by, units)
  await confirmDeposit(api.services, id, depositId)
  return depositId
}

test('the last address that was named before anything was ordered is the one that is paid', async () => {
  const id = await ordered()
  await send(id, { from: accountFrom('a third').address }, 5_000_000n)
  // The service is down, or no node answers it: nothing has been made of the first when the second is said.
  await admin('swap', 'refund', '--id', id, '--to', mistyped ?? '')
  expect(await admin('swap', 'refund', '--id', id, '--to', right ?? '')).toContain(`goes to ${right}`)
  await takeAddresses(api.services)
  const back = (await openPayouts(api.services, id)).filter(({ kind }) => kind !== 'output')
  expect(back.map(({ to_address }) => to_address)).toEqual([right])
})
