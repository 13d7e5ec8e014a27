/** A held payout hears of every answer and every change of rules, also of one that comes while the payout is rechecked. */
import type { ChainAdapter } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { clearLimit, setLimit } from '../../store/limits/safeguards.ts'
import { requeueDueHeld } from '../run/requeue.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
/** A new hold is rechecked after this time: a change may have come while the payout was being held. */
const SOON_MS = 2_000

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

async function theOutput() {
  return hand.services.database.selectFrom('payout').selectAll().where('kind', '=', 'output').executeTakeFirstOrThrow()
}

/** An output that waits for an operator, and was rechecked once since. */
async function heldForApproval(): Promise<string> {
  await setLimit(hand.services.database, 'approval_above', 'service', 1n)
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  const { id } = await theOutput()
  await recheck()
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'approval_needed' })
  return id
}

async function recheck(): Promise<void> {
  hand.passTime(SOON_MS)
  await requeueDueHeld(hand.services)
  await hand.runJobs()
}

/** Does this once, while the node prepares the payout: it has passed all checks, and is not held any more. */
function whilePrepared(work: () => Promise<void>): void {
  const chain: ChainAdapter = chainOf(hand.services.chains, TO)
  const { prepare } = chain
  Object.assign(chain, {
    prepare: async (...given: Parameters<ChainAdapter['prepare']>) => {
      Object.assign(chain, { prepare })
      await work()
      return prepare(...given)
    },
  })
}

test('a limit that is lifted while its payout is being held again does not wait for minutes', async () => {
  const { database: db } = hand.services
  const id = await heldForApproval()
  let commit: () => void = () => undefined
  let lifted: Promise<unknown> = Promise.resolve()
  whilePrepared(async () => {
    await setLimit(db, 'approval_above', 'service', 1n)
    // The operator lifts it again at once, and the commit takes a moment. Nothing is held that it could wake.
    await new Promise<void>((resolve) => {
      lifted = db.transaction().execute(async (queries) => {
        await clearLimit(queries, 'approval_above', 'service')
        resolve()
        await new Promise<void>((go) => (commit = go))
      })
    })
  })
  await clearLimit(db, 'approval_above', 'service')
  await hand.runJobs()
  expect(await holdOf(db, id)).toMatchObject({ code: 'approval_needed' })
  commit()
  await lifted
  await recheck()
  expect(await theOutput()).toMatchObject({ started: true })
})

test('an approval that comes during a recheck is followed by another check', async () => {
  const { database: db } = hand.services
  const id = await heldForApproval()
  const { screener } = hand.services
  Object.assign(hand.services, {
    screener: {
      name: 'list',
      // The gate has read the answers already.
      screen: async () => {
        Object.assign(hand.services, { screener })
        await admin(hand.services, 'payout', 'approve', ...(await holdWords(db, id)))
        return null
      },
    },
  })
  hand.passTime(10 * 60_000)
  await hand.services.refresh()
  await requeueDueHeld(hand.services)
  await hand.runJobs()
  expect(await theOutput()).toMatchObject({ started: true })
})
