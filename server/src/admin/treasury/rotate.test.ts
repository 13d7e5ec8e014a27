/** A change of a treasury's keys: the drill changes nothing, and the coins move to the new wallet once. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { family } from '../../../../chains/simulated/local/src/index.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf, openChains } from '../../catalogue/chains.ts'
import { pay } from '../../flow/payouts/pay.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { createWatcher } from '../../flow/watch/watch.ts'
import { unbalancedPostings } from '../../store/ledger/ledger.ts'
import { claimTreasury } from '../../store/ledger/treasuries.ts'
import { listHalts } from '../../store/limits/halts.ts'

const NETWORK = 'BETA'
const FINAL = 6
let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  for (const [name, { treasury }] of hand.services.chains) await claimTreasury(db(), name, treasury, false)
  await settle()
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const db = () => hand.services.database
const run = (...words: string[]) => admin(hand.services, ...words)
const held = (address: string, contract: string | null) => hand.chain(NETWORK).balance(address, contract)

async function settle(): Promise<void> {
  await reconcile(hand.services)
  hand.chain(NETWORK).mine(FINAL)
  await hand.watch(NETWORK)
  await reconcile(hand.services)
  await hand.services.refresh()
}

test('a drill changes nothing; applied, the coins move to the new wallet and both agree with the ledger', async () => {
  const { services } = hand
  const keys = await openChains(services.catalogue, async () => family, testSigner('other keys'), services.log)
  const { treasury: to } = chainOf(keys, NETWORK)
  const { treasury: from, network } = chainOf(services.chains, NETWORK)
  const usdc = network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  const before = held(from, usdc.contract)

  const drill = await run('wallet', 'rotate', '--network', NETWORK, '--to', to)
  expect(drill).toContain(`would be moved: 10000 USDC to ${to}`)
  expect(drill).toContain('nothing is changed')
  expect(await db().selectFrom('payout').selectAll().execute()).toEqual([])
  const apply = () => run('wallet', 'rotate', '--network', NETWORK, '--to', to, '--apply', 'yes')
  await expect(apply()).rejects.toThrow('is not listed for withdrawals')
  await run('withdrawal', 'add', '--network', NETWORK, '--address', to, '--note', 'new keys')
  await apply()
  await apply()
  for (let time = 0; time < 3; time++) {
    await hand.runJobs()
    await settle()
  }
  expect([held(from, usdc.contract), held(to, usdc.contract)]).toEqual([0n, before])
  const left = held(from, null)
  expect(left).toBeGreaterThan(0n)

  expect(await claimTreasury(db(), NETWORK, to, true)).toBeNull()
  Object.assign(services, { chains: keys })
  await db()
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  const watcher = createWatcher(services, chainOf(keys, NETWORK), { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 })
  for (let time = 0; time < 3; time++) {
    await reconcile(services)
    hand.chain(NETWORK).mine(FINAL)
    await watcher.turn()
  }
  const shown = await run('wallet', 'rotate', '--network', NETWORK)
  expect(shown).toContain(`present wallet of ${NETWORK}: ${to}`)
  expect(shown).toContain(`former wallet, still watched: ${from}`)
  expect(await listHalts(db())).toEqual([])
  expect(await unbalancedPostings(db(), 1)).toEqual([])
})

test('a withdrawal to the new wallet that was not begun is given up: no wallet pays itself', async () => {
  const { services } = hand
  const keys = await openChains(services.catalogue, async () => family, testSigner('other keys'), services.log)
  const { treasury: to } = chainOf(keys, NETWORK)
  await run('withdrawal', 'add', '--network', NETWORK, '--address', to, '--note', 'new keys')
  await run('wallet', 'withdraw', '--network', NETWORK, '--token', 'USDC', '--amount', '10', '--to', to)
  expect(await claimTreasury(db(), NETWORK, to, true)).toBeNull()
  Object.assign(services, { chains: keys })
  const { id } = await db().selectFrom('payout').select('id').executeTakeFirstOrThrow()
  await pay(services, id)
  expect(await db().selectFrom('payout').select(['state', 'account']).execute()).toEqual([
    { state: 'abandoned', account: to },
  ])
})
