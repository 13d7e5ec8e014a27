/** A watcher that was paused lands a payout at the same moment as the process that has taken its lease. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { lockPayout } from '../../store/payouts/payouts.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'
import { landPayouts } from './land.ts'

const NETWORK = 'ALPHA'
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

test('the return of an unmatched deposit is booked once by two watchers', async () => {
  const { services } = hand
  const simulated = hand.chain(NETWORK)
  const chain = chainOf(services.chains, NETWORK)
  const usdc = chain.network.tokens.find(({ symbol }) => symbol === 'USDC') ?? chain.network.nativeToken
  const { contract } = usdc
  const payer = accountFrom(`unmatched ${randomUUID()}`)
  simulated.mint(payer.address, null, simulated.feePerMove)
  simulated.mint(payer.address, contract, 9_000_000n)
  const move = { from: payer.address, to: chain.treasury, contract, units: 9_000_000n }
  const terms = { network: NETWORK, account: payer.address, nonce: 0n, fee: simulated.feePerMove, memo: null }
  simulated.submit(signedBy({ ...terms, moves: [move] }, payer))
  simulated.mine(FINAL + 1)
  await hand.watch(NETWORK)
  await services.refresh()
  const deposits = services.database.selectFrom('deposit').select('id').where('from_address', '=', payer.address)
  const { id: depositId } = await deposits.executeTakeFirstOrThrow()
  await returnUnmatched(services, depositId, payer.address)
  await hand.runJobs()
  const payouts = services.database.selectFrom('payout').selectAll().where('deposit_id', '=', depositId)
  const { id, units } = await payouts.executeTakeFirstOrThrow()
  const books = await ledgerUnits(services.database, chain.treasury, usdc)
  simulated.mine(TIER)
  const landing = await services.database.transaction().execute(async (queries) => {
    await lockPayout(queries, id)
    const both = Promise.all([1, 2].map(() => landPayouts(services, chain, 0n, null)))
    const waiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting.execute(services.database)).rows[0]?.n).toBe(2)
    return { both }
  })
  await landing.both
  expect((await payouts.executeTakeFirstOrThrow()).state).toBe('confirmed')
  const now = await ledgerUnits(services.database, chain.treasury, usdc)
  expect(books - now).toBe(units)
})
