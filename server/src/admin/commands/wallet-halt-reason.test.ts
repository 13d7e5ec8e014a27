/** An operator's halt is not lost because the wallet is already halted. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { releaseWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'

const NETWORK = 'ALPHA'
const FINAL = 6
let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await reconcile(hand.services)
  hand.chain(NETWORK).mine(FINAL)
  await hand.watch(NETWORK)
  await reconcile(hand.services)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
const run = (...words: string[]) => admin(hand.services, ...words)

test('a second halt of a wallet is shown with its operator and reason', async () => {
  const { treasury } = chainOf(hand.services.chains, NETWORK)
  hand.chain(NETWORK).mint(treasury, null, -5n)
  for (let look = 0; look < 2; look++) await reconcile(hand.services)
  const where = ['--network', NETWORK, '--wallet', treasury]
  expect(await run('wallet', 'list')).toContain('5 base units')
  const said = await run('wallet', 'halt', ...where, '--reason', 'its key has leaked: release nothing')
  const both = '5 base units of SIM are missing; its key has leaked: release nothing'
  expect(said).toBe(`${treasury} on ${NETWORK} signs nothing; it is halted for: ${both}`)
  expect(await run('wallet', 'list')).toContain(both)
  // A repeated alert keeps the reason; an equal text is the same reason; a part of a text is another one.
  hand.chain(NETWORK).mint(treasury, null, -1n)
  for (let look = 0; look < 2; look++) await reconcile(hand.services)
  await run('wallet', 'halt', ...where, '--reason', 'its key has leaked: release nothing')
  const all = '6 base units of SIM are missing; its key has leaked: release nothing; its key'
  expect(await run('wallet', 'halt', ...where, '--reason', 'its key')).toContain(`halted for: ${all}`)
  const words = await releaseWords(hand.services.database, NETWORK, treasury)
  const released = await run('wallet', 'release', ...words, '--accept', '6')
  expect(released).toContain(`it was halted for: ${all}\n${treasury} on ${NETWORK} signs again`)
})
