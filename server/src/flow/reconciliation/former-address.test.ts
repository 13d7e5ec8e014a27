/** A former wallet: sweeps of its addresses by strangers or by the operator with the former keys, and what it still pays. */
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { family } from '../../../../chains/simulated/local/src/index.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf, openChains } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { claimTreasury } from '../../store/ledger/treasuries.ts'
import { listHalts } from '../../store/limits/halts.ts'
import { createWatcher } from '../watch/watch.ts'
import { reconcile } from './reconcile.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const DAY_MS = 86_400_000
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

/** As after a start with other keys and NEW_TREASURY naming every network. */
async function rotate(network = FROM): Promise<() => Promise<void>> {
  const { services } = hand
  const chains = await openChains(services.catalogue, async () => family, testSigner('other keys'), services.log)
  for (const [name, { treasury }] of chains)
    expect(await claimTreasury(services.database, name, treasury, true)).toBeNull()
  Object.assign(services, { chains })
  const { treasury, network: listed } = chainOf(chains, network)
  for (const { contract } of listed.tokens) hand.chain(network).mint(treasury, contract, 10n ** 22n)
  await services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  const watcher = createWatcher(services, chainOf(chains, network), { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 })
  return async () => {
    hand.chain(network).mine(FINAL)
    await watcher.turn()
  }
}

test('what the former wallet paid and no node tells yet is not booked as moved to the present one', async () => {
  const { services } = hand
  const former = chainOf(services.chains, TO).treasury
  for (const [name, { treasury }] of services.chains) await claimTreasury(services.database, name, treasury, false)
  for (let round = 0; round < 3; round++) {
    await reconcile(services)
    hand.chain(TO).mine(FINAL)
    await hand.watch(TO)
  }
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(FINAL)
  await hand.watch(FROM)
  await hand.runJobs()
  const pass = await rotate(TO)
  const adapter = chainOf(services.chains, TO)
  const { status } = adapter
  adapter.status = async () => {
    throw new RetryLater('no node tells')
  }
  for (let round = 0; round < 6; round++) {
    hand.passTime(DAY_MS)
    await pass().catch(() => undefined)
    await reconcile(services)
  }
  adapter.status = status
  for (let round = 0; round < 3; round++) await pass()
  await reconcile(services)
  expect(await listHalts(services.database)).toEqual([])
  for (const owner of [former, adapter.treasury])
    for (const token of adapter.network.tokens)
      expect(await ledgerUnits(services.database, owner, token), `${owner === former} ${token.symbol}`).toBe(
        hand.chain(TO).balance(owner, token.contract),
      )
})

test.each(['former', 'present'] as const)('coins of its addresses that come to the %s wallet halt none', async (to) => {
  const { services } = hand
  const former = chainOf(services.chains, FROM).treasury
  for (const [name, { treasury }] of services.chains) await claimTreasury(services.database, name, treasury, false)
  // In a round wallets are compared by name: the former one first.
  let swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  while (swap.view.receiver < former) swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  hand.deposit(swap)
  for (let round = 0; round < 2; round++) {
    hand.chain(FROM).mine(FINAL)
    await hand.watch(FROM)
  }
  const token = swap.view.swap.source
  const units = await ledgerUnits(services.database, swap.view.receiver, token)
  expect(units).toBeGreaterThan(0n)
  const pass = await rotate()
  const present = chainOf(services.chains, FROM).treasury
  for (let round = 0; round < 4; round++) {
    await pass()
    await reconcile(services)
  }
  const simulated = hand.chain(FROM)
  simulated.mint(swap.view.receiver, token.contract, -units)
  simulated.mint(to === 'former' ? former : present, token.contract, units)
  for (let round = 0; round < 10; round++) {
    hand.passTime(DAY_MS)
    await pass()
    await reconcile(services)
  }
  expect(await listHalts(services.database)).toEqual([])
  for (const owner of [swap.view.receiver, former, present])
    expect(await ledgerUnits(services.database, owner, token)).toBe(simulated.balance(owner, token.contract))
})

test('coins of the former wallet that were never compared before are booked, in every token', async () => {
  const { services } = hand
  const { treasury: former, network } = chainOf(services.chains, FROM)
  for (const [name, { treasury }] of services.chains) await claimTreasury(services.database, name, treasury, false)
  const pass = await rotate()
  for (let round = 0; round < 10; round++) {
    hand.passTime(DAY_MS)
    await pass()
    await reconcile(services)
  }
  expect(await listHalts(services.database)).toEqual([])
  for (const token of network.tokens) {
    const units = hand.chain(FROM).balance(former, token.contract)
    expect(units).toBeGreaterThan(0n)
    expect(await ledgerUnits(services.database, former, token), token.symbol).toBe(units)
  }
})
