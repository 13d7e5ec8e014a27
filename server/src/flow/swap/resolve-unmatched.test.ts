/** A worker that was frozen while it gave a return up, and comes back after the deposit was sent back by another one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { rejectPayout } from '../../store/payouts/payouts.ts'
import { pay } from '../payouts/pay.ts'
import { assignUnmatched, returnUnmatched } from './resolve-unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const UNITS = 50_000_000n

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

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

test('a frozen worker that abandons an old return does not free a deposit that was sent back', async () => {
  const { services } = hand
  const { database: db } = services
  const usdc = services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  const { contract } = usdc
  const { treasury } = chainOf(services.chains, FROM)
  const payer = accountFrom('an unmatched payer')
  const chain = hand.chain(FROM)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, UNITS)
  const move = { from: payer.address, to: treasury, contract, units: UNITS }
  chain.submit(
    signedBy(
      { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves: [move] },
      payer,
    ),
  )
  await mineAndWatch(FROM, FINAL + 1)
  const deposit = await db
    .selectFrom('deposit')
    .select('id')
    .where('from_address', '=', payer.address)
    .executeTakeFirstOrThrow()
  await services.refresh()
  await returnUnmatched(services, deposit.id, accountFrom('a wrong address').address)
  const first = await db.selectFrom('payout').selectAll().where('deposit_id', '=', deposit.id).executeTakeFirstOrThrow()
  // An operator has mistyped the address, and rejects it.
  await rejectPayout(db, first.id, services.now())

  // Worker A gives it up, and is frozen before its commit begins.
  let thaw = () => {}
  let isFrozen = () => {}
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve
  })
  const frozen = new Promise<void>((resolve) => {
    isFrozen = resolve
  })
  const slow = new Proxy(db, {
    get(target, name) {
      if (name !== 'transaction') {
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return () => ({
        execute: async (work: never) => {
          isFrozen()
          await thawed
          return target.transaction().execute(work)
        },
      })
    },
  })
  const workerA = pay({ ...services, database: slow } as typeof services, first.id)
  await frozen

  // Its queue is freed. Worker B gives it up, and the operator sends the deposit to the right address. It lands there.
  await pay(services, first.id)
  const home = accountFrom('home').address
  await returnUnmatched(services, deposit.id, home)
  await hand.runJobs()
  await mineAndWatch(FROM, FINAL + 1)
  const paidBack = chain.balance(home, contract)
  expect(paidBack).toBeGreaterThan(0n)
  const books = () =>
    db
      .selectFrom('ledger_entry')
      .select(({ fn }) => ['account', 'reason', fn.sum('units').as('units')])
      .where('network', '=', FROM)
      .groupBy(['account', 'reason'])
      .orderBy('account')
      .execute()
  const before = await books()

  // A comes back.
  thaw()
  await workerA.catch(() => undefined)
  const after = await db.selectFrom('deposit').selectAll().where('id', '=', deposit.id).executeTakeFirstOrThrow()
  const text = (rows: unknown) => JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  const rebooked = text(await books()) !== text(before)

  // It is on "unmatched list" again: its sender asks about the swap, and support assigns it.
  const swap = await hand.swap(FROM, TO)
  await assignUnmatched(services, deposit.id, swap.view.swap.id)
  await hand.runJobs()
  await mineAndWatch(TO, FINAL + 1)
  const delivered = hand.chain(TO).balance(swap.view.swap.destinationAddress, swap.view.swap.destination.contract)
  expect({ resolution: after.resolution, rebooked, delivered }).toEqual({
    resolution: 'refunded',
    rebooked: false,
    delivered: 0n,
  })
})
