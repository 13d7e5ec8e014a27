/**
 * Found by an external review: an approval covers only what was shown, and outflow limits hold at any price and with
 * any deposits.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords, releaseWords, screenerBy } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { haltWallet } from '../../store/limits/halts.ts'
import { setLimit } from '../../store/limits/safeguards.ts'
import { type CreatedSwap, createSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DEEP = 7
const ONE = 10n ** 18n

let database: TestDatabase
let hand: Hand
const listed = new Set<string>()
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  listed.clear()
  hand = await startHand(await database.createDatabase())
  Object.assign(hand.services, { screener: screenerBy((address) => (listed.has(address) ? 'sanctioned' : null)) })
})
afterEach(() => hand.stop())

async function pass(network: string): Promise<void> {
  hand.chain(network).mine(DEEP)
  await hand.watch(network)
}

async function funded(swap: CreatedSwap, from = FROM): Promise<CreatedSwap> {
  hand.deposit(swap)
  await pass(from)
  return swap
}

const payoutOf = ({ view }: CreatedSwap, kind: 'output' | 'return' = 'output') =>
  hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', view.swap.id)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
const heldFor = async (swap: CreatedSwap) => holdOf(hand.services.database, (await payoutOf(swap)).id)

test('an approval covers the hold that was shown, not one that replaced it', async () => {
  await setLimit(hand.services.database, 'approval_above', 'service', 10n * ONE)
  const swap = await funded(await hand.swap(FROM, TO))
  await hand.runJobs()
  const { id, to_address: recipient } = await payoutOf(swap)
  const shown = await holdWords(hand.services.database, id)
  expect(await heldFor(swap)).toMatchObject({ code: 'approval_needed' })
  // Before the operator answers, the recipient is listed, and the payout is rechecked as it is every ten minutes.
  listed.add(recipient)
  await pay(hand.services, id)
  expect(await heldFor(swap)).toMatchObject({ code: 'screened', listing: 'sanctioned' })
  // The operator approves the hold that was shown before.
  await expect(admin(hand.services, 'payout', 'approve', ...shown)).rejects.toThrow('is not open')
  await hand.runJobs()
  await pass(TO)
  expect(hand.chain(TO).balance(recipient, swap.view.swap.destination.contract)).toBe(0n)
})

test('approving an address does not approve the amount', async () => {
  const swap = await hand.swap(FROM, TO)
  await funded(swap)
  const { id, to_address: recipient } = await payoutOf(swap)
  listed.add(recipient)
  await hand.runJobs()
  expect(await heldFor(swap)).toMatchObject({ code: 'screened' })
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  // Before it is sent, an operator sets an approval threshold below its value.
  await setLimit(hand.services.database, 'approval_above', 'service', 10n * ONE)
  await hand.runJobs()
  expect(await payoutOf(swap)).toMatchObject({ started: false })
  expect(await heldFor(swap)).toMatchObject({ code: 'approval_needed' })
})

async function coinSwap(): Promise<CreatedSwap> {
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  const plain = { refuel: false, useDepository: false, useGasless: false, slippage: null }
  return createSwap(hand.services, {
    ...{ ...nobody, ...plain, useNewDepositAddress: true, useDepositAddress: false },
    ...{ sourceNetwork: FROM, destinationNetwork: TO, sourceToken: 'USDC', destinationToken: 'SIM' },
    ...{ amount: '50', referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom('coins').address,
    refundAddress: accountFrom('coins back').address,
  })
}

test('outflow in a token that lost its price still counts towards the hourly limit', async () => {
  await setLimit(hand.services.database, 'hourly_outflow', `network:${TO}`, 80n * ONE)
  await hand.services.refresh()
  const coins = await coinSwap()
  await funded(coins)
  await hand.runJobs()
  expect((await payoutOf(coins)).started).toBe(true)
  const dollars = await funded(await hand.swap(FROM, TO))
  await hand.runJobs()
  // 50 of the limit of 80 were paid out.
  expect(await payoutOf(dollars)).toMatchObject({ started: false })
  expect(await heldFor(dollars)).toEqual({ code: 'outflow_limit' })
  // The price source of SIM stops answering; that of USDC does not.
  delete hand.services.prices.SIM
  hand.passTime(20 * 60_000)
  await hand.services.refresh().catch(() => undefined)
  await hand.services.market.refreshPrices()
  const { market, catalogue } = hand.services
  const priceOf = (symbol: string) =>
    catalogue.network(TO).tokens.flatMap((token) => (token.symbol === symbol ? [market.price(token)] : []))
  expect(priceOf('SIM')).toEqual([null])
  expect(priceOf('USDC')).not.toEqual([null])
  await pay(hand.services, (await payoutOf(dollars)).id)
  expect(await payoutOf(dollars)).toMatchObject({ started: false })
})

test('a payout made without a price counts at the last known price', async () => {
  await hand.services.refresh()
  const coins = await funded(await coinSwap())
  delete hand.services.prices.SIM
  hand.passTime(20 * 60_000)
  await hand.services.refresh().catch(() => undefined)
  await hand.services.market.refreshPrices()
  await pay(hand.services, (await payoutOf(coins)).id)
  const { started, usd } = await payoutOf(coins)
  expect(started).toBe(true)
  expect(usd).toBeGreaterThan(45n * ONE)
})

test('refunds do not use up the hourly limit of other payouts', async () => {
  await setLimit(hand.services.database, 'hourly_outflow', `network:${FROM}`, 80n * ONE)
  const bait = await funded(await hand.swap(FROM, TO, { amount: '10' }))
  await hand.runJobs()
  // A swap that is being paid accepts no further deposit: it is returned at once, less the gas.
  const more = { ...bait, view: { ...bait.view, swap: { ...bait.view.swap, requestedUnits: 70_000_000n } } }
  await funded(more)
  await hand.runJobs()
  expect((await payoutOf(bait, 'return')).started).toBe(true)
  await pass(FROM)
  await pass(FROM)
  const honest = await funded(await hand.swap(TO, FROM), TO)
  await hand.runJobs()
  expect(await payoutOf(honest)).toMatchObject({ started: true })
  expect(await heldFor(honest)).toBeNull()
})

test('refunds have an hourly limit of their own', async () => {
  await setLimit(hand.services.database, 'hourly_outflow', `network:${FROM}`, 80n * ONE)
  const bait = await funded(await hand.swap(FROM, TO, { amount: '10' }))
  await hand.runJobs()
  const more = { ...bait, view: { ...bait.view, swap: { ...bait.view.swap, requestedUnits: 90_000_000n } } }
  await funded(more)
  await hand.runJobs()
  const { id, started } = await payoutOf(bait, 'return')
  expect([started, await holdOf(hand.services.database, id)]).toEqual([false, { code: 'outflow_limit' }])
})

test('releasing a wallet does not clear a cause that was not shown', async () => {
  const { services } = hand
  const { treasury } = chainOf(services.chains, TO)
  await admin(services, 'wallet', 'halt', '--network', TO, '--wallet', treasury, '--reason', 'maintenance')
  const words = await releaseWords(services.database, TO, treasury)
  // Meanwhile the history check finds a transaction that the service did not sign.
  const outflow = { code: 'unknown_outflow', network: TO, txHash: '0xabc', count: 1 } as const
  await haltWallet(services.database, { network: TO, account: treasury }, outflow, services.now())
  await expect(admin(services, 'wallet', 'release', ...words)).rejects.toThrow('nothing is released')
})
