/** A sweep may take another token from its address as a fee, and a token that calls back lets one address move twice. */
import { type ChainAdapter, RetryLater, type SweptAmount, type Token } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { sweepAddresses } from './sweep.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const [COINS, FEE] = [100n, 7n]
let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const chain = (): ChainAdapter => chainOf(hand.services.chains, FROM)

function give(to: string, token: Token, units: bigint): void {
  const simulated = hand.chain(FROM)
  const payer = accountFrom(`giver of ${token.symbol}`)
  simulated.mint(payer.address, null, simulated.feePerMove + COINS)
  simulated.mint(payer.address, token.contract, units)
  const moves = [{ from: payer.address, to, contract: token.contract, units }]
  const nonce = simulated.nonce(payer.address)
  const paid = { network: FROM, account: payer.address, nonce, fee: simulated.feePerMove, memo: null, moves }
  simulated.submit(signedBy(paid, payer))
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

function tellSwept(change: (moved: SweptAmount[]) => SweptAmount[]): void {
  const adapter = chain()
  const { sweptBy } = adapter
  if (!sweptBy) throw new Error('it has deposit addresses')
  adapter.sweptBy = async (...given) => change(await sweptBy(...given))
}

test('an address that one sweep emptied in two parts is booked with their sum', async () => {
  const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
  const token = view.swap.source
  give(view.receiver, token, 50_000_000n)
  await pass(FINAL)
  await pass(FINAL)
  await hand.services.refresh()
  await sweepAddresses(hand.services)
  await hand.runJobs()
  tellSwept((moved) =>
    moved.flatMap(({ address }) => [20_000_000n, 30_000_000n].map((units) => ({ address, amount: { token, units } }))),
  )
  await pass(FINAL)
  expect(hand.chain(FROM).balance(view.receiver, token.contract)).toBe(0n)
  expect(await ledgerUnits(hand.services.database, view.receiver, token)).toBe(0n)
})

test('a fee that an address paid for a sweep of its token is booked once, however late the sweep is booked', async () => {
  const { view } = await hand.swap(FROM, TO, { useDepositAddress: true })
  const native = chain().network.nativeToken
  give(view.receiver, view.swap.source, 50_000_000n)
  give(view.receiver, native, COINS)
  await pass(FINAL)
  await pass(FINAL)
  expect(await ledgerUnits(hand.services.database, view.receiver, native)).toBe(COINS)
  await hand.services.refresh()
  await sweepAddresses(hand.services)
  await hand.runJobs()

  const adapter = chain()
  const { sweptBy } = adapter
  if (!sweptBy) throw new Error('it has deposit addresses')
  adapter.sweptBy = async () => {
    throw new RetryLater('another address of the sweep is not empty yet')
  }
  await pass(1)
  hand.chain(FROM).mint(view.receiver, null, -FEE)
  for (let round = 0; round < 4; round++) {
    await pass(FINAL)
    await reconcile(hand.services)
  }
  adapter.sweptBy = async (...given) => [
    ...(await sweptBy(...given)),
    { address: view.receiver, amount: { token: native, units: FEE } },
  ]
  await pass(FINAL)
  expect(hand.chain(FROM).balance(view.receiver, null)).toBe(COINS - FEE)
  expect(await ledgerUnits(hand.services.database, view.receiver, native)).toBe(COINS - FEE)
})
