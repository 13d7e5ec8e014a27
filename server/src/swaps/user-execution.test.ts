/** A swap that the depositor's own exchange pays, as the service shows it, whatever arrives at its address. */
import type { DepositAction, Exchanges } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase } from '../../../tests/support/database/database.ts'
import { addPools } from '../../../tests/support/exchanges/service-pools.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { createApi } from '../api/server.ts'
import { type CreatedSwap, createSwap } from './create-swap.ts'

let database: Awaited<ReturnType<typeof startDatabase>>
let hand: Hand
let api: Awaited<ReturnType<typeof createApi>>
let made = 0

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await addPools(hand.services)
  const { exchanges } = hand.services.chains.get('ALPHA') ?? {}
  const rest = { callData: '0x', gasLimit: null, encodedArgs: null }
  const action: DepositAction = { type: 'transfer', toAddress: 'a router', units: 0n, ...rest }
  const actions = { objectionTo: () => null, depositActions: () => [action] }
  Object.assign(exchanges ?? {}, actions satisfies Partial<Exchanges>)
  api = await createApi(hand.services)
})
afterAll(async () => {
  await api?.close()
  await hand?.stop()
  await database?.stop()
})

function create(amount: string): Promise<CreatedSwap> {
  const place = { sourceNetwork: 'ALPHA', sourceToken: 'GEM', destinationNetwork: 'BETA', destinationToken: 'USDC' }
  const no = { refuel: false, useDepositAddress: false, useDepository: false, useGasless: false, slippage: null }
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  return createSwap(hand.services, {
    ...{ ...place, ...no, ...nobody, amount, forceUserExecution: true, useNewDepositAddress: false },
    ...{ referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom(`recipient ${++made}`).address,
    refundAddress: accountFrom(`refunds ${made}`).address,
  })
}

/** A transfer of the hub token to the swap's address, mined and counted. */
async function arrive({ view: { swap, receiver } }: CreatedSwap, units: bigint): Promise<void> {
  const { network, contract } = swap.source
  const chain = hand.chain(network)
  const payer = accountFrom(`payer ${++made}`)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: receiver, contract, units }]
  const terms = { network, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
  chain.submit(signedBy(terms, payer))
  chain.mine(1)
  await hand.watch(network)
}

async function shown({ view }: CreatedSwap) {
  return (await api.inject({ url: `/api/v2/swaps/${view.swap.id}` })).json().data
}

test('two exchanges into one swap are shown as two, and one that gained or lost as one', async () => {
  const swap = await create('50')
  const { outUnits = 0n, minUnits = 0n } = swap.view.swap.userExchange ?? {}
  expect(outUnits).toBeGreaterThan(0n)
  await arrive(swap, minUnits)
  expect((await shown(swap)).swap).toMatchObject({ requested_amount: 50, received_amount: 50, remaining_amount: 0 })
  await arrive(swap, outUnits)
  const received = (await shown(swap)).swap.received_amount
  expect(received).toBeGreaterThan(99)
  expect(received).toBeLessThanOrEqual(100)
})

test('dust of a third party does not take the exchange away, and the exchange itself does', async () => {
  const swap = await create('50')
  await arrive(swap, 1n)
  expect((await shown(swap)).deposit_actions).toHaveLength(1)
  await arrive(swap, swap.view.swap.userExchange?.minUnits ?? 0n)
  const { swap: paid, deposit_actions: actions } = await shown(swap)
  expect([paid.status, paid.received_amount, actions]).toEqual(['user_transfer_pending', 50, []])
})
