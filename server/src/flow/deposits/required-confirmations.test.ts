/**
 * The required confirmations of a deposit follow from all the money that one reorg would take back, at today's prices.
 */
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import type { UnfinalDeposit } from '../../store/deposits/deposits.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { depthsOf } from './required-confirmations.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
/** The network file's tiers: up to a hundred dollars, and above. */
const LOW = 2
const HIGH = 5
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { MAX_UNFINAL_USD: '1000' })
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

async function mine(blocks = 1): Promise<void> {
  for (let mined = 0; mined < blocks; mined++) {
    hand.chain(FROM).mine()
    await hand.watch(FROM)
  }
}

/** Funds several swaps at once from one wallet: in one transaction if each swap has its own deposit address. */
function payTogether(label: string, payments: { swap: CreatedSwap; units: bigint }[]): string {
  const chain = hand.chain(FROM)
  const payer = accountFrom(label)
  const contract = usdc().contract
  chain.mint(payer.address, null, chain.feePerMove * BigInt(payments.length))
  for (const { units } of payments) chain.mint(payer.address, contract, units)
  const [first] = payments
  const isAlone = payments.length === 1 && first !== undefined && !first.swap.view.swap.usesDepositAddress
  const moves = payments.map(({ swap, units }) => ({ from: payer.address, to: swap.view.receiver, contract, units }))
  const fee = chain.feePerMove * BigInt(payments.length)
  const nonce = chain.nonce(payer.address)
  const memo = isAlone ? `${first.swap.view.reference}` : null
  chain.submit(signedBy({ network: FROM, account: payer.address, nonce, fee, memo, moves }, payer))
  return chain.mempool.at(-1)?.hash ?? ''
}

function usdc(): Token {
  const token = hand.services.catalogue.network(FROM).tokens.find(({ contract }) => contract !== null)
  if (!token) throw new Error('no token')
  return token
}
const dollars = (whole: bigint) => whole * 1_000_000n
const wanted = async (...hashes: string[]) =>
  (
    await hand.services.database
      .selectFrom('deposit')
      .select(['confirmations_wanted', 'state'])
      .where('tx_hash', 'in', hashes)
      .orderBy('block_number')
      .orderBy('index')
      .execute()
  ).map(({ confirmations_wanted, state }) => [confirmations_wanted, state])

test('parts of a swap need the confirmations of their sum, even if the first are credited already', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const first = payTogether('part 1', [{ swap, units: dollars(45n) }])
  await mine(LOW)
  expect(await wanted(first)).toEqual([[LOW, 'confirmed']])
  const rest = [
    payTogether('part 2', [{ swap, units: dollars(45n) }]),
    payTogether('part 3', [{ swap, units: 20_000_000n }]),
  ]
  await mine(HIGH - 1)
  expect(await wanted(...rest)).toEqual([
    [HIGH, 'seen'],
    [HIGH, 'seen'],
  ])
  await mine()
  expect((await wanted(...rest)).map(([, state]) => state)).toEqual(['confirmed', 'confirmed'])
  await mine(FINAL + 1)
})

test('a lost deposit that is re-mined adds to the required confirmations of its siblings', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true, amount: '120' })
  const first = payTogether('landing again', [{ swap, units: dollars(60n) }])
  await mine(LOW)
  expect(await wanted(first)).toEqual([[LOW, 'confirmed']])
  const { id } = await hand.services.database
    .selectFrom('deposit')
    .select('id')
    .where('tx_hash', '=', first)
    .executeTakeFirstOrThrow()
  // Funded, then removed by a reorg, and re-mined together with the second part.
  await hand.services.database.updateTable('deposit').set({ state: 'lost' }).where('id', '=', id).execute()
  const second = payTogether('landing beside it', [{ swap, units: dollars(60n) }])
  hand.chain(FROM).reorg(LOW, 'returned')
  await mine(LOW)
  expect(await wanted(second)).toEqual([[HIGH, 'seen']])
  expect(await wanted(first)).toEqual([[HIGH, 'lost']])
  await mine(HIGH)
  expect(await wanted(second)).toEqual([[HIGH, 'confirmed']])
})

test('deposits of one sender to many swaps need the confirmations of their sum', async () => {
  const swaps = [await hand.swap(FROM, TO), await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  const hashes: string[] = []
  for (const swap of swaps) {
    hashes.push(payTogether('one sender', [{ swap, units: dollars(50n) }]))
    hand.chain(FROM).mine()
  }
  await hand.watch(FROM)
  expect((await wanted(...hashes)).map(([depth]) => depth)).toEqual([HIGH, HIGH, HIGH])
  await mine(2 * FINAL)
})

test('deposits of one transaction to many swaps need the confirmations of their sum', async () => {
  const swaps = [1, 2, 3].map(() => hand.swap(FROM, TO, { useDepositAddress: true }))
  const payments = (await Promise.all(swaps)).map((swap) => ({ swap, units: dollars(50n) }))
  const hash = payTogether('many outputs', payments)
  await mine(LOW)
  expect(await wanted(hash)).toEqual([1, 2, 3].map(() => [HIGH, 'seen']))
  await mine(2 * FINAL)
})

test('without a price a deposit waits for the last tier, and is judged again once it has one', async () => {
  const { services } = hand
  const swap = await hand.swap(FROM, TO)
  services.prices.USDC = ''
  hand.passTime(services.config.priceMaxAgeMs + 1)
  await services.refresh()
  const hash = payTogether('priceless', [{ swap, units: dollars(50n) }])
  await mine(LOW)
  expect(await wanted(hash)).toEqual([[HIGH, 'seen']])
  services.prices.USDC = '1'
  await services.refresh()
  await mine()
  expect(await wanted(hash)).toEqual([[LOW, 'confirmed']])
  await mine(2 * FINAL)
})

test('above the ceiling of unfinal credits a deposit waits until it is final', () => {
  const network = hand.services.catalogue.network(FROM)
  const deposit = (id: string, usd: bigint, state = 'seen', swap: string | null = id): UnfinalDeposit => ({
    ...{ id, swap, txHash: id, senders: [id], token: 'x', units: usd, state, depth: 0, finalOnly: false },
  })
  const deposits = [
    deposit('counted', 400n, 'confirmed'),
    deposit('nobody counted', 9_000n, 'confirmed', null),
    deposit('large', 500n),
    deposit('too much', 101n),
    deposit('fits still', 100n),
    deposit('nobody', 90n, 'seen', null),
  ]
  const depths = depthsOf(network, deposits, ({ units }) => Number(units), 1_000)
  expect([...depths]).toEqual([
    ['large', HIGH],
    ['too much', FINAL],
    ['fits still', LOW],
    ['nobody', LOW],
  ])
})

test('an unknown price adds no exposure, and still gets the last tier', () => {
  const network = hand.services.catalogue.network(FROM)
  const one = { txHash: 't', senders: [], token: 'x', units: 1n, state: 'seen', depth: 0, finalOnly: false }
  const deposits = [{ ...one, id: 'a', swap: 'a' }]
  expect([...depthsOf(network, deposits, () => Number.POSITIVE_INFINITY, 1_000)]).toEqual([['a', HIGH]])
})

test('a transaction whose senders the chain does not show is summed too', () => {
  const network = hand.services.catalogue.network(FROM)
  const one = { txHash: 'together', senders: [], token: 'x', units: 60n, state: 'seen', depth: 0, finalOnly: false }
  const deposits = [
    { ...one, id: 'a', swap: 'a' },
    { ...one, id: 'b', swap: 'b' },
    { ...one, id: 'c', swap: 'c', txHash: 'alone' },
  ]
  expect([...depthsOf(network, deposits, ({ units }) => Number(units), 1_000)]).toEqual([
    ['a', HIGH],
    ['b', HIGH],
    ['c', LOW],
  ])
})

test('a deposit known only by its block waits for finality, however small it is', () => {
  const network = hand.services.catalogue.network(FROM)
  const one = { id: 'a', swap: 'a', txHash: 'a', senders: [], token: 'x', units: 1n, state: 'seen', depth: 0 }
  expect([...depthsOf(network, [{ ...one, finalOnly: true }], () => 1, 1_000)]).toEqual([['a', FINAL]])
})
