/** That nobody can tell how much a wallet holds of one token keeps what it pays of another one from nobody. */
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { rejectPayout } from '../store/payouts.ts'
import { pay } from './pay.ts'
import { sendBackUnmatched } from './resolve.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 6
const UNITS = 50_000_000n

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

const adapter = () => chainOf(hand.services.chains, FROM)
const usdc = () =>
  hand.services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null

/** Two swaps whose outputs a person has said no to: each is to be refunded. */
async function refunds(): Promise<void> {
  for (let made = 0; made < 2; made++) hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  const { database: db, now } = hand.services
  const outputs = await db.selectFrom('payout').select('id').where('kind', '=', 'output').execute()
  for (const { id } of outputs) await rejectPayout(db, id, now())
  for (const { id } of outputs) await pay(hand.services, id)
}

test('two refunds of a token whose balance no node tells hold up nothing of another token', async () => {
  const { services } = hand
  const { treasury } = adapter()
  const payer = accountFrom('an unmatched payer')
  const chain = hand.chain(FROM)
  const units = 10n ** 18n
  chain.mint(payer.address, null, chain.feePerMove + units)
  const move = { from: payer.address, to: treasury, contract: null, units }
  const paid = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves: [move] }
  chain.submit(signedBy(paid, payer))
  chain.mine(TIER + 1)
  await hand.watch(FROM)
  await refunds()
  // Each is covered by itself, both are not.
  chain.mint(treasury, usdc(), UNITS + UNITS / 2n - chain.balance(treasury, usdc()))
  await services.refresh()
  const deposits = services.database.selectFrom('deposit').select('id').where('from_address', '=', payer.address)
  const { id } = await deposits.executeTakeFirstOrThrow()
  const home = accountFrom('home').address
  await sendBackUnmatched(services, id, home)
  // Two nodes that must agree do not: one of them lags.
  const { balances } = adapter()
  adapter().balances = async (wanted) => {
    if (wanted.some(({ token }) => token.contract !== null)) throw new RetryLater('the nodes do not agree')
    return balances(wanted)
  }
  const payouts = services.database.selectFrom('payout').select(['id', 'kind', 'state']).where('state', '=', 'open')
  for (let round = 0; round < 3; round++) {
    for (const payout of await payouts.execute()) await pay(services, payout.id)
    hand.passTime(60_000)
    chain.mine(TIER)
    await hand.watch(FROM)
  }
  expect(chain.balance(home, null)).toBeGreaterThan(0n)
})
