/** One bad row stops nothing: not the scan of its network, not the confirmations, not the service. */
import { type ChainAdapter, catalogueOf, RetryLater, type Sighting } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { createScheduler } from '../run/scheduler.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(() => hand.stop())

const db = () => hand.services.database
const adapter = (network = FROM): ChainAdapter => chainOf(hand.services.chains, network)
const stateOf = async (hash: string) =>
  (await db().selectFrom('deposit').select('state').where('tx_hash', '=', hash).executeTakeFirst())?.state
async function troubles(what: string): Promise<number> {
  const { values } = await hand.services.metrics.troubles.get()
  return values.filter(({ labels }) => labels.what === what).reduce((sum, { value }) => sum + value, 0)
}
const alerts = async () => (await hand.services.metrics.alerts.get()).values[0]?.value ?? 0

async function mine(blocks = 1): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

/** As after a start with network files, and a database, that do not know the destination's token. */
function forgetToken(): void {
  const networks = hand.services.catalogue.networks.map((network) =>
    network.name === TO ? { ...network, tokens: [network.nativeToken] } : network,
  )
  Object.assign(hand.services, { catalogue: catalogueOf(networks) })
}

test('a deposit whose swap cannot be determined is unmatched, the others match, and the cursor advances', async () => {
  const [old, other] = [await hand.swap(FROM, TO), await hand.swap(FROM, 'GAMMA')]
  forgetToken()
  const [poisoned, sound] = [hand.deposit(old), hand.deposit(other)]
  await mine()
  const rows = await db().selectFrom('deposit').select(['tx_hash', 'swap_id', 'state', 'units']).execute()
  expect(rows).toEqual([
    { tx_hash: poisoned, swap_id: null, state: 'seen', units: 50_000_000n },
    { tx_hash: sound, swap_id: other.view.swap.id, state: 'seen', units: 50_000_000n },
  ])
  expect((await readPosition(db(), FROM))?.headNumber).toBe(BigInt(hand.chain(FROM).height))
  expect([await troubles('sighting'), await alerts()]).toEqual([1, 1])
  await mine()
  expect((await listUnmatched(db(), 10)).map(({ tx_hash, state }) => [tx_hash, state])).toEqual([
    [poisoned, 'confirmed'],
  ])
})

test('a deposit that cannot be confirmed delays no other deposit and no payout', async () => {
  const [old, other, paid] = [await hand.swap(FROM, TO), await hand.swap(FROM, 'GAMMA'), await hand.swap('GAMMA', FROM)]
  hand.deposit(paid)
  hand.chain('GAMMA').mine(TIER)
  await hand.watch('GAMMA')
  await hand.runJobs()
  const [poisoned, sound] = [hand.deposit(old), hand.deposit(other)]
  await mine()
  forgetToken()
  await mine()
  expect([await stateOf(poisoned), await stateOf(sound)]).toEqual(['seen', 'confirmed'])
  const [output] = await db().selectFrom('payout').select('state').where('swap_id', '=', paid.view.swap.id).execute()
  expect(output?.state).toBe('confirmed')
  expect(await troubles('deposit')).toBe(1)
})

test('an unanswered inspection is repeated without waiting for the next block', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine()
  const { inspect } = adapter()
  Object.assign(adapter(), { inspect: () => Promise.reject(new RetryLater('the node does not answer')) })
  await mine()
  expect([await stateOf(hash), await troubles('deposit')]).toEqual(['seen', 0])
  Object.assign(adapter(), { inspect })
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
})

test('a deposit that a backfill reaches under the same head is credited without a new block', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  const { scan } = adapter()
  // The first scan is still catching up.
  let behind = 1n
  const catchingUp = async (...given: Parameters<ChainAdapter['scan']>) => {
    const found = await scan(...given)
    const scannedTo = found.scannedTo - behind
    behind = 0n
    return { ...found, scannedTo }
  }
  Object.assign(adapter(), { scan: catchingUp })
  await hand.watch(FROM)
  await hand.watch(FROM)
  expect(await stateOf(hash)).toBe('confirmed')
})

test('a transfer that the database refuses is skipped and alerted, and the scan continues', async () => {
  const [swap, other] = [await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  const [bad, good] = [hand.deposit(swap), hand.deposit(other)]
  const { scan } = adapter()
  const spoilt = (each: Sighting) => (each.txHash === bad ? { ...each, reference: 2n ** 80n } : each)
  Object.assign(adapter(), {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => {
      const found = await scan(...given)
      return { ...found, sightings: found.sightings.map(spoilt) }
    },
  })
  await mine()
  expect([await stateOf(bad), await stateOf(good)]).toEqual([undefined, 'seen'])
  expect([await troubles('sighting'), await troubles('sighting that cannot be kept')]).toEqual([1, 1])
})

test('a temporary database error makes no deposit unmatched', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  const busy = Object.assign(new Error('deadlock detected'), { code: '40P01' })
  const spy = vi.spyOn(hand.services, 'now').mockImplementationOnce(() => {
    throw busy
  })
  hand.chain(FROM).mine()
  await hand.watch(FROM)
  spy.mockRestore()
  await hand.watch(FROM)
  const rows = await db().selectFrom('deposit').select('swap_id').where('tx_hash', '=', hash).execute()
  expect(rows.map(({ swap_id }) => swap_id === null)).toEqual([false])
})

test('a swap whose timer fails stops neither the others nor the other periodic tasks', async () => {
  const [old, other] = [await hand.swap(FROM, TO), await hand.swap(FROM, 'GAMMA')]
  forgetToken()
  const keeper = createScheduler(hand.services)
  hand.passTime(hand.services.config.depositWindowMs + 60_000)
  for (let turn = 0; turn < 3; turn++) {
    await keeper.turn()
    // A swap without a decision is asked again a moment later.
    hand.passTime(6_000)
  }
  const statusOf = async (id: string) =>
    (await db().selectFrom('swap').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status
  expect([await statusOf(old.view.swap.id), await statusOf(other.view.swap.id)]).toEqual([
    'user_transfer_pending',
    'expired',
  ])
  expect((await db().selectFrom('reconciliation').select('token').execute()).length).toBeGreaterThan(0)
  // Counted each time, alerted once.
  expect([await troubles('swap'), await alerts()]).toEqual([3, 1])
})

test('a network whose node hangs stalls neither expiry nor the reconciliation of the others', async () => {
  const windowMs = hand.services.config.depositWindowMs
  const first = await hand.swap('GAMMA', TO)
  hand.passTime(windowMs / 2)
  const second = await hand.swap('GAMMA', TO)
  const silence = new Promise<never>(() => undefined)
  Object.assign(adapter(), { balance: () => silence, balances: () => silence, fees: () => silence })
  const keeper = createScheduler(hand.services)
  const looked = async () => {
    const rows = await db().selectFrom('reconciliation').select('network').distinct().orderBy('network').execute()
    return rows.map(({ network }) => network)
  }
  const expired = async () => {
    const rows = await db().selectFrom('swap').select('id').where('status', '=', 'expired').orderBy('ordinal').execute()
    return rows.map(({ id }) => id)
  }
  hand.passTime(windowMs / 2)
  void keeper.turn()
  await vi.waitFor(async () => expect(await looked()).toEqual(['BETA', 'GAMMA']), { timeout: 20_000 })
  await vi.waitFor(async () => expect(await expired()).toEqual([first.view.swap.id]), { timeout: 20_000 })
  // The next run does not wait for what still hangs in the previous one.
  hand.passTime(windowMs / 2)
  void keeper.turn()
  const both = [first.view.swap.id, second.view.swap.id]
  await vi.waitFor(async () => expect(await expired()).toEqual(both), { timeout: 20_000 })
})

/** From this many payers, without a reference. */
function sendDust(count: number, contract: string | null): void {
  const chain = hand.chain(FROM)
  for (let dust = 0; dust < count; dust++) {
    const payer = accountFrom(`dust ${dust}`)
    chain.mint(payer.address, null, chain.feePerMove)
    chain.mint(payer.address, contract, 1n)
    const moves = [{ from: payer.address, to: adapter().treasury, contract, units: 1n }]
    const terms = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
    chain.submit(signedBy(terms, payer))
  }
}

test("no deposit waits for the node's answer about another: thirty are read at once", async () => {
  sendDust(30, null)
  await mine()
  const { inspect } = adapter()
  let waiting = 0
  let answer = () => {}
  const all = new Promise<void>((resolve) => {
    answer = resolve
  })
  Object.assign(adapter(), {
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      waiting += 1
      if (waiting === 30) answer()
      await all
      return inspect(...given)
    },
  })
  await mine(TIER)
  expect(waiting).toBeGreaterThanOrEqual(30)
  // On a slow machine a look's time may end before the last of them is stored: the next one stores it.
  await mine()
  expect((await listUnmatched(db(), 100)).map(({ state }) => state)).toEqual(Array(30).fill('confirmed'))
})

test('two hundred dust transfers in a block do not delay a real deposit', async () => {
  const swap = await hand.swap(FROM, TO)
  const chain = hand.chain(FROM)
  sendDust(220, swap.view.swap.source.contract)
  chain.mine()
  const hash = hand.deposit(swap)
  await mine(TIER)
  expect(await stateOf(hash)).toBe('confirmed')
}, 60_000)
