/** Sweeps that a restored database has forgotten: their amounts are booked once, and no wallet needs a release. */
import { type PostingReason, type Token, tokenKey } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { FINAL, FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { sweepAddresses } from '../../flow/kinds/sweep.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'

const COINS = 3_000_000n

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())

const chain = () => chainOf(world.hand().services.chains, FROM)

/** Blocks pass until the journal is replayed. */
async function restore(backup: string): Promise<void> {
  await world.rollBackTo(backup)
  for (const network of [FROM, TO]) await world.mineAndWatch(network, FINAL + 1)
  await world.restore()
}

/** More rounds than an unexplained credit waits. */
async function reconcileOn(): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await reconcile(world.hand().services)
    for (const network of [FROM, TO]) await world.mineAndWatch(network, FINAL)
    await world.hand().runJobs()
  }
  await reconcile(world.hand().services)
}

/** Native coins from an account that has just that much. */
function give(to: string, units: bigint, label: string): void {
  const simulated = world.hand().chain(FROM)
  const payer = accountFrom(label)
  simulated.mint(payer.address, null, simulated.feePerMove + units)
  const moves = [{ from: payer.address, to, contract: null, units }]
  const nonce = simulated.nonce(payer.address)
  const paid = { network: FROM, account: payer.address, nonce, fee: simulated.feePerMove, memo: null, moves }
  simulated.submit(signedBy(paid, payer))
}

async function expectAllBooked(addresses: readonly string[], token: Token): Promise<void> {
  const { database } = world.hand().services
  expect(await listHalts(database)).toEqual([])
  for (const address of addresses) {
    const held = world.hand().chain(FROM).balance(address, token.contract)
    expect(await ledgerUnits(database, address, token), address).toBe(held)
  }
  await world.expectBooksEqualChains()
}

/** Postings on the treasury for a reason since the restore. */
async function booked(reason: PostingReason, token: Token): Promise<bigint[]> {
  const rows = await world
    .hand()
    .services.database.selectFrom('ledger_entry')
    .select('units')
    .where('reason', '=', reason)
    .where('owner', '=', chain().treasury)
    .where('token', '=', tokenKey(token))
    .orderBy('id')
    .execute()
  return rows.map(({ units }) => BigInt(units))
}

test('a sweep that the journal has is booked from its own transaction, without reconciliation', async () => {
  const swaps = [
    await world.hand().swap(FROM, TO, { useDepositAddress: true }),
    await world.hand().swap(FROM, TO, { useDepositAddress: true }),
  ]
  for (const swap of swaps) world.hand().deposit(swap)
  await world.settle()
  await reconcileOn()
  const backup = await world.backup()
  await world.hand().services.refresh()
  await sweepAddresses(world.hand().services)
  await world.hand().runJobs()
  await world.mineAndWatch(FROM, FINAL)
  const [first] = swaps
  if (!first) throw new Error('there is none')
  const token = first.view.swap.source
  const addresses = swaps.map(({ view }) => view.receiver)
  for (const address of addresses) expect(world.hand().chain(FROM).balance(address, token.contract)).toBe(0n)

  await restore(backup)
  for (let round = 0; round < 2; round++) await world.mineAndWatch(FROM, FINAL)
  await expectAllBooked(addresses, token)
  const { database } = world.hand().services
  const deposits = database.selectFrom('deposit').innerJoin('payout', 'payout.id', 'swept_by')
  const rows = await deposits
    .select(['payout.kind', 'payout.state'])
    .where('deposit.to_address', 'in', addresses)
    .execute()
  expect(rows).toEqual(addresses.map(() => ({ kind: 'recorded', state: 'confirmed' })))
  expect(await booked('sweep', token)).toHaveLength(addresses.length)
  await reconcileOn()
  await expectAllBooked(addresses, token)
  expect(await booked('sweep', token)).toHaveLength(addresses.length)
})

test('forgotten sweeps that paid their fees out of what they took are booked with them, and nothing halts', async () => {
  const swaps = [
    await world.hand().swap(FROM, TO, { useDepositAddress: true }),
    await world.hand().swap(FROM, TO, { useDepositAddress: true }),
  ]
  const addresses = swaps.map(({ view }) => view.receiver)
  for (const [position, address] of addresses.entries()) give(address, COINS + BigInt(position), `coins of ${position}`)
  await world.settle()
  await reconcileOn()
  const native = chain().network.nativeToken
  for (const address of addresses)
    expect(await ledgerUnits(world.hand().services.database, address, native)).toBeGreaterThanOrEqual(COINS)
  const backup = await world.backup()
  const fee = (await chain().fees()).sweep
  const simulated = world.hand().chain(FROM)
  for (const [position, address] of addresses.entries()) {
    const units = COINS + BigInt(position)
    simulated.mint(address, null, -units)
    simulated.mint(chain().treasury, null, units - fee)
  }

  await restore(backup)
  await reconcileOn()
  await expectAllBooked(addresses, native)
  expect((await booked('sweep', native)).toSorted()).toEqual([COINS, COINS + 1n])
  expect(await booked('unannounced', native)).toEqual([])
  expect((await booked('network fee', native)).at(-1)).toBe(-2n * fee)
})

test('what is missing beyond the fees of forgotten sweeps halts the wallet', async () => {
  const { view } = await world.hand().swap(FROM, TO, { useDepositAddress: true })
  give(view.receiver, COINS, 'coins that are stolen')
  await world.settle()
  const backup = await world.backup()
  const fee = (await chain().fees()).sweep
  const simulated = world.hand().chain(FROM)
  simulated.mint(view.receiver, null, -COINS)
  simulated.mint(chain().treasury, null, COINS - 11n * fee)
  await restore(backup)
  await reconcileOn()
  const halts = await listHalts(world.hand().services.database)
  expect(halts).toMatchObject([{ network: FROM, account: chain().treasury }])
})
