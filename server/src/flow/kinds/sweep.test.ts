/** Sweeps take balances that are worth the gas, the largest first; small ones do not delay them. */
import { type ChainAdapter, type Sighting, type Token, unexplainedCredit } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { insertSweep } from '../../store/deposits/sweeps.ts'
import { foldLedger, hasUnlooked, ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { sweepAddresses } from './sweep.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6
const HOUR_MS = 3_600_000

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(async () => {
  await hand.stop()
})
afterAll(async () => {
  await database.stop()
})

const chain = (): ChainAdapter => chainOf(hand.services.chains, FROM)

function usdc(): Token {
  const token = chain().network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no such token')
  return token
}

async function addresses(count: number): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) swaps.push(await hand.swap(FROM, TO, { useDepositAddress: true }))
  return swaps
}

/** A transfer to a swap's address, from an account that has exactly this amount. */
function give({ view }: CreatedSwap, units: bigint, label: string): void {
  const simulated = hand.chain(FROM)
  const { contract } = view.swap.source
  const payer = accountFrom(label)
  simulated.mint(payer.address, null, simulated.feePerMove)
  simulated.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: view.receiver, contract, units }]
  const nonce = simulated.nonce(payer.address)
  const paid = { network: FROM, account: payer.address, nonce, fee: simulated.feePerMove, memo: null, moves }
  simulated.submit(signedBy(paid, payer))
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

async function sweeps() {
  const rows = await hand.services.database
    .selectFrom('payout')
    .innerJoin('deposit', 'deposit.swept_by', 'payout.id')
    .select(['payout.id', 'payout.units', 'deposit.to_address as address'])
    .where('payout.kind', '=', 'sweep')
    .orderBy('payout.created_at')
    .execute()
  return rows
}

async function sweep(): Promise<void> {
  await hand.services.refresh()
  await sweepAddresses(hand.services)
}

test('dust on many addresses is left there and does not delay other sweeps', async () => {
  const swaps = await addresses(51)
  for (const [number, swap] of swaps.slice(0, 50).entries()) give(swap, 1n, `dust ${number}`)
  const last = swaps.at(-1)
  if (!last) throw new Error('there is none')
  hand.deposit(last)
  await pass(TIER)
  await pass(TIER)
  await sweep()
  expect((await sweeps()).map(({ address, units }) => ({ address, units }))).toEqual([
    { address: last.view.receiver, units: 50_000_000n },
  ])
}, 60_000)

test('more addresses than go into one transaction are swept in one round, the richest first', async () => {
  Object.assign(chain(), { depositAddresses: { ...chain().depositAddresses, maxSources: 2 } })
  const swaps = await addresses(5)
  for (const [number, swap] of swaps.entries()) give(swap, BigInt(number + 1) * 1_000_000n, `giver ${number}`)
  await pass(TIER)
  await pass(TIER)
  await sweep()
  const ordered = Map.groupBy(await sweeps(), ({ units }) => units)
  expect([...ordered.keys()].sort((a, b) => Number(b - a))).toEqual([9_000_000n, 5_000_000n, 1_000_000n])
  expect(
    [...ordered.values()]
      .flat()
      .map(({ address }) => address)
      .sort(),
  ).toEqual(swaps.map(({ view }) => view.receiver).sort())
})

test('externally swept addresses are skipped, booked and taken off the list', async () => {
  const [robbed, other] = await addresses(2)
  if (!robbed || !other) throw new Error('there are none')
  for (const network of [FROM, TO]) {
    await reconcile(hand.services)
    hand.chain(network).mine(FINAL)
    await hand.watch(network)
  }
  await reconcile(hand.services)
  give(robbed, 60_000_000n, 'giver')
  hand.deposit(other)
  await pass(TIER)
  await pass(TIER)
  // Anyone may sweep it if a contract is at the address: the coins come to the treasury.
  hand.chain(FROM).mint(robbed.view.receiver, usdc().contract, -60_000_000n)
  hand.chain(FROM).mint(chain().treasury, usdc().contract, 60_000_000n)
  await sweep()
  expect((await sweeps()).map(({ address }) => address)).toEqual([other.view.receiver])
  for (let look = 0; look < 5; look++) {
    await reconcile(hand.services)
    await pass(FINAL)
  }
  await reconcile(hand.services)
  const { database: books } = hand.services
  expect(await ledgerUnits(books, robbed.view.receiver, usdc())).toBe(0n)
  expect(await listHalts(books)).toEqual([])
  const rows = await books
    .selectFrom('deposit')
    .select(['emptied', 'swept_by'])
    .where('to_address', '=', robbed.view.receiver)
    .execute()
  expect(rows).toEqual([{ emptied: true, swept_by: null }])
  const reasons = await books
    .selectFrom('ledger_entry')
    .select('reason')
    .where('owner', '=', chain().treasury)
    .where('token', '=', usdc().contract ?? '')
    .where('units', '=', 60_000_000n)
    .execute()
  expect(reasons).toEqual([{ reason: 'sweep' }])
})

test('treasury coins are unexplained only after every address was read, even one that holds more', async () => {
  const [swap] = await addresses(1)
  if (!swap) throw new Error('there is none')
  give(swap, 70_000_000n, 'the one who came')
  await pass(TIER)
  await pass(TIER)
  await foldLedger(hand.services.database)
  const block = BigInt(hand.chain(FROM).height)
  expect(await hasUnlooked(hand.services.database, usdc(), chain().treasury, chain().treasury, block)).toBe(true)
  for (let look = 0; look < 3; look++) {
    await reconcile(hand.services)
    await pass(FINAL)
  }
  await reconcile(hand.services)
  expect(await hasUnlooked(hand.services.database, usdc(), chain().treasury, chain().treasury, block)).toBe(false)
})

/** More rounds than an unexplained credit waits, without moving the clock. */
async function lookOn(): Promise<void> {
  for (let look = 0; look < 5; look++) {
    await reconcile(hand.services)
    await pass(FINAL)
  }
  await reconcile(hand.services)
}

test('coins at an empty deposit address are found after an hour, and can be swept like any others', async () => {
  const [swap] = await addresses(1)
  if (!swap) throw new Error('there is none')
  const native = chain().network.nativeToken
  hand.chain(FROM).mint(swap.view.receiver, null, 77n)
  await lookOn()
  expect(await ledgerUnits(hand.services.database, swap.view.receiver, native)).toBe(0n)
  hand.passTime(HOUR_MS)
  await lookOn()
  expect(await ledgerUnits(hand.services.database, swap.view.receiver, native)).toBe(77n)
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('a deposit to an old address that is scanned late is booked once, and halts no wallet', async () => {
  const [swap] = await addresses(1)
  if (!swap) throw new Error('there is none')
  give(swap, 5_000n, 'what it holds already')
  await pass(TIER)
  await pass(TIER)
  const adapter = chain()
  const { scan } = adapter
  const late: Sighting[] = []
  let isItsTurn = false
  // Like a family that reads old addresses a few at a time: the scan is at the head but has not read this address.
  adapter.scan = async (...given) => {
    const found = await scan(...given)
    const isLate = ({ to }: Sighting) => to === swap.view.receiver
    late.push(...found.sightings.filter((one) => isLate(one) && !late.some(({ txHash }) => txHash === one.txHash)))
    const others = found.sightings.filter((one) => !isLate(one))
    return { ...found, sightings: isItsTurn ? [...others, ...late] : others }
  }
  give(swap, 60_000n, 'what comes late')
  await lookOn()
  await lookOn()
  isItsTurn = true
  await lookOn()
  adapter.scan = scan
  await lookOn()
  expect(await ledgerUnits(hand.services.database, swap.view.receiver, usdc())).toBe(65_000n)
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('an unconfirmed deposit is not swept, and a deposit in a sweep stays in it', async () => {
  const [swap] = await addresses(1)
  if (!swap) throw new Error('there is none')
  give(swap, 5_000_000n, 'first')
  await pass(TIER)
  give(swap, 7_000_000n, 'second')
  await pass(1)
  await sweep()
  expect((await sweeps()).map(({ units }) => units)).toEqual([5_000_000n])
  const [first] = await sweeps()
  await pass(TIER)
  // The first sweep is under way: later deposits wait until it ends.
  await sweep()
  expect((await sweeps()).map(({ id }) => id)).toEqual([first?.id])
  const { database: books } = hand.services
  const source = { address: swap.view.receiver, index: 1, units: 7_000_000n }
  await expect(
    books
      .transaction()
      .execute((queries) =>
        insertSweep(queries, { token: usdc(), account: chain().treasury, sources: [source], now: new Date() }),
      ),
  ).rejects.toThrow('another sweep takes from these addresses')
  expect((await sweeps()).map(({ id }) => id)).toEqual([first?.id])
  // The sweep is confirmed, with everything that had arrived by then. Another sweep takes only what arrives now.
  await hand.runJobs()
  await pass(FINAL)
  give(swap, 9_000_000n, 'third')
  await pass(TIER)
  await pass(TIER)
  await sweep()
  const all = await sweeps()
  expect(all.map(({ id, units }) => [id === first?.id, units])).toEqual([
    [true, 5_000_000n],
    [true, 5_000_000n],
    [false, 9_000_000n],
  ])
})

test('an unexplained credit next to an unconfirmed deposit delays no other sweep', async () => {
  const [odd, even] = await addresses(2)
  if (!odd || !even) throw new Error('there is none')
  hand.chain(FROM).mint(odd.view.receiver, usdc().contract, 50_000_000n)
  await insertPosting(hand.services.database, unexplainedCredit(odd.view.receiver, usdc(), 50_000_000n), null)
  give(even, 5_000_000n, 'even')
  await pass(TIER)
  give(odd, 7_000_000n, 'odd')
  await pass(1)
  await sweep()
  expect((await sweeps()).map(({ address, units }) => [address, units])).toEqual([[even.view.receiver, 5_000_000n]])
})

test('two schedulers at once order one sweep', async () => {
  const [swap] = await addresses(1)
  if (!swap) throw new Error('there is none')
  hand.deposit(swap)
  await pass(TIER)
  await pass(TIER)
  await hand.services.refresh()
  await Promise.all([1, 2, 3, 4].map(() => sweepAddresses(hand.services)))
  const ordered = await hand.services.database.selectFrom('payout').select('id').where('kind', '=', 'sweep').execute()
  expect(ordered).toHaveLength(1)
})

test('the database takes no sweep without sources', async () => {
  const { database: books } = hand.services
  const ordered = { token: usdc(), account: chain().treasury, sources: [], now: new Date() }
  await expect(
    books.transaction().execute(async (queries) => {
      await queries
        .insertInto('payout')
        .values({
          ...{ swap_id: null, number: 0, kind: 'sweep', deposit_id: null, network: FROM, state: 'open', units: 1n },
          ...{ account: ordered.account, to_address: ordered.account, token: 'native' },
        })
        .execute()
    }),
  ).rejects.toThrow('takes nothing')
  await expect(
    books.transaction().execute((queries) =>
      insertSweep(queries, {
        ...ordered,
        sources: [{ address: 'nowhere', index: 9, units: 3n }],
      }),
    ),
  ).rejects.toThrow('is not there any more')
})
