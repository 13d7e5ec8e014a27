/** The operator's commands for swaps that are owed money. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { confirmDeposit, openPayouts, seeDeposit, takeAddresses } from '../../../../tests/support/service/progress.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { createSwap } from '../../swaps/create-swap.ts'

const home = accountFrom('home').address

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})
const run = (...words: string[]) => admin(services, ...words)

async function swapAtAddress(): Promise<string> {
  const route = { sourceNetwork: 'ALPHA', sourceToken: 'USDC', destinationNetwork: 'BETA', destinationToken: 'USDC' }
  const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: false }
  const nobody = { sourceAddress: null, refundAddress: null, referenceId: null, appId: null, appName: null }
  const nowhere = { sourceExchange: null, destinationExchange: null, correlationId: null, amount: '100' }
  const { address: destinationAddress } = accountFrom('recipient')
  const request = { ...route, ...no, ...nobody, ...nowhere, useDepositAddress: true, destinationAddress }
  return (await createSwap(services, request)).view.swap.id
}

async function deposit(id: string, units: bigint): Promise<void> {
  await confirmDeposit(services, id, await seeDeposit(services, id, {}, units))
}

test('a deposit above the maximum without a refund address is owed, and sent where an operator says', async () => {
  const [id, waiting] = [await swapAtAddress(), await swapAtAddress()]
  expect(await run('swap', 'list', '--owed')).toBe('nothing is owed')
  await deposit(id, 60_000_000_000n)
  // A partial deposit of a swap that still waits is not owed.
  await deposit(waiting, 50_000_000n)
  const listed = await run('swap', 'list', '--owed')
  expect(listed).toMatch(
    new RegExp(`${id} +pending_refund +received_more_than_valid_range +ALPHA +\\S+ +60000000000 +unknown`),
  )
  expect(listed).not.toContain(waiting)
  const shown = await run('swap', 'show', '--id', id)
  expect(shown).toContain('pending_refund: received_more_than_valid_range')
  expect(shown).toMatch(/deposit_confirmed +pending_refund/)

  await run('swap', 'refund', '--id', id, '--to', home)
  const audit = await services.database.selectFrom('audit_log').selectAll().orderBy('id', 'desc').executeTakeFirst()
  expect(audit).toMatchObject({ actor: 'tester', action: 'refund address given', data: { swapId: id, to: home } })
  await takeAddresses(services)
  expect(await openPayouts(services, id)).toMatchObject([{ kind: 'refund', to_address: home, network: 'ALPHA' }])
  expect(await run('swap', 'list', '--owed')).toBe('nothing is owed')
  expect(await run('swap', 'show', '--id', id)).toMatch(/refund_address_given +refund_pending +.*"by":"operator"/)
})

test('mistakes are reported clearly and change nothing', async () => {
  const id = await swapAtAddress()
  const wrong: [string[], string][] = [
    [['swap', 'refund', '--id', id, '--to', home], 'nothing is owed'],
    [['swap', 'refund', '--id', randomUUID(), '--to', home], 'there is no swap'],
    [['swap', 'show', '--id', 'x'], '--id is an id'],
    [['swap', 'refund', '--id', id], 'nothing is owed|--to is needed'],
    [['swap', 'list'], '--owed is needed'],
    [['swap', 'list', '--owed', 'all'], 'not understood'],
  ]
  const entries = async () => (await services.database.selectFrom('audit_log').select('id').execute()).length
  const before = await entries()
  for (const [words, message] of wrong) {
    await expect(run(...words), words.join(' ')).rejects.toThrow(new RegExp(message))
  }
  expect(await entries()).toBe(before)
})
