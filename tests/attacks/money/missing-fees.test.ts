/**
 * Attack A13: a thief who waits until payouts are in flight must not find a larger allowance than the signed bytes can
 * cost. Each family computes that cost from its own bytes. A wallet that misses one unit more is halted at the second
 * check.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { reconcile } from '../../../server/src/flow/reconciliation/reconcile.ts'
import { listHaltDifferences } from '../../../server/src/store/limits/halts.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const [TIER, FINAL] = [2, 6]

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

const chain = () => chainOf(hand.services.chains, TO)

async function pass(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

async function lookTwice(): Promise<void> {
  for (let look = 0; look < 2; look++) await reconcile(hand.services)
}

/** The ledger of both wallets is open. */
async function openBooks(): Promise<void> {
  for (const network of [FROM, TO]) {
    await reconcile(hand.services)
    await pass(network, FINAL)
    await reconcile(hand.services)
  }
}

/** Signed, sent, and not mined yet. */
async function pay(times: number): Promise<void> {
  for (let time = 0; time < times; time++) hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, TIER)
  await hand.runJobs()
}

const missing = async () => (await listHaltDifferences(hand.services.database)).map(({ units }) => units)
const steal = (units: bigint) => hand.chain(TO).mint(chain().treasury, null, -units)

describe('while payouts are on their way', () => {
  it('a loss of ten maximum fees is noticed', async () => {
    await openBooks()
    await pay(1)
    const { nativeTransfer, sweep } = await chain().fees()
    const dearest = nativeTransfer > sweep ? nativeTransfer : sweep
    steal(10n * dearest)
    await lookTwice()
    expect(await missing()).toEqual([9n * dearest])
  })

  it('so is a loss of one unit above the sum of all signed fees', async () => {
    await openBooks()
    await pay(5)
    const fee = hand.chain(TO).feePerMove
    steal(5n * fee)
    await lookTwice()
    expect(await missing(), 'the fees may have been paid already').toEqual([])
    steal(1n)
    await lookTwice()
    expect(await missing()).toEqual([1n])
  })

  it('so is it if the family bounds the cost only by its settings', async () => {
    const { sign } = chain()
    Object.assign(chain(), {
      sign: async (...given: Parameters<typeof sign>) => {
        const { hash, bytes } = await sign(...given)
        return { hash, bytes }
      },
    })
    await openBooks()
    await pay(1)
    steal(hand.chain(TO).feePerMove + 1n)
    await lookTwice()
    expect(await missing()).toEqual([1n])
  })
})
