/** An operator's decision about an unmatched deposit covers only the content that it had at that time. */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'

const FROM = 'ALPHA'
const [TIER, FINAL] = [2, 6]
const [DUST, MUCH] = [1_000n, 900_000_000n]
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
const contractOf = () => adapter().network.tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

async function unmatched(units: bigint): Promise<{ id: string; hash: string }> {
  const [payer, contract, chain] = [accountFrom('payer of dust'), contractOf(), hand.chain(FROM)]
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: adapter().treasury, contract, units }]
  const plan = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
  chain.submit(signedBy(plan, payer))
  await pass(TIER)
  await pass(1)
  const { id, tx_hash: hash } = await hand.services.database
    .selectFrom('deposit')
    .selectAll()
    .where('from_address', '=', payer.address)
    .executeTakeFirstOrThrow()
  return { id, hash }
}

/** From now on the transaction transfers this amount. */
function shows(hash: string, units: bigint): void {
  const { scan, inspect } = adapter()
  const changed = (sightings: Sighting[]) =>
    sightings.map((each) => (each.txHash === hash ? { ...each, amount: { ...each.amount, units } } : each))
  Object.assign(adapter(), {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => {
      const found = await scan(...given)
      return { ...found, sightings: changed(found.sightings) }
    },
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      const found = await inspect(...given)
      return 'sightings' in found ? { ...found, sightings: changed(found.sightings) } : found
    },
  })
}

/** A reorg drops the transaction, and it is re-mined with this amount. */
async function landsAgain(hash: string, units: bigint): Promise<void> {
  shows(hash, units)
  hand.chain(FROM).reorg(TIER + 2, 'returned')
  await pass(TIER + 3)
  await pass(FINAL)
  await pass(FINAL)
}

test('ignored dust that is re-mined as a large amount is listed again', async () => {
  const { id, hash } = await unmatched(DUST)
  await admin(hand.services, 'unmatched', 'ignore', '--deposit', id)
  await landsAgain(hash, MUCH)
  expect(await listUnmatched(hand.services.database, 2)).toMatchObject([{ id, units: MUCH, state: 'confirmed' }])
})

test('a decision about dust does not apply to a large amount that replaces it', async () => {
  const { id, hash } = await unmatched(DUST)
  const to = accountFrom('whoever may have the dust').address
  await admin(hand.services, 'unmatched', 'refund', '--deposit', id, '--to', to)
  await landsAgain(hash, MUCH)
  await hand.services.refresh()
  await returnUnmatched(hand.services, id)
  await hand.runJobs()
  await pass(FINAL)
  expect(hand.chain(FROM).balance(to, contractOf())).toBe(0n)
  expect(await listUnmatched(hand.services.database, 2)).toMatchObject([{ id, units: MUCH, resolution: null }])
  expect(await admin(hand.services, 'unmatched', 'list')).not.toContain(to)
})
