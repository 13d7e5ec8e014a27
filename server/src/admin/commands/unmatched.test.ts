/** The last decision before an unmatched deposit is sent decides its address: a typo can be corrected until then. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { assignUnmatched, returnUnmatched } from '../../flow/swap/resolve-unmatched.ts'
import { readDeposit } from '../../store/deposits/unmatched.ts'

const FROM = 'ALPHA'
const [TIER, FINAL] = [2, 6]
const UNITS = 50_000_000n
let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
const [wrong, right] = [accountFrom('wrong').address, accountFrom('right').address]
const contractOf = () =>
  chainOf(hand.services.chains, FROM).network.tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null
const got = (address: string) => hand.chain(FROM).balance(address, contractOf())
const refund = (id: string, to: string) => admin(hand.services, 'unmatched', 'refund', '--deposit', id, '--to', to)

/** A deposit that is confirmed but not final. */
async function unmatched(name: string): Promise<string> {
  const { treasury } = chainOf(hand.services.chains, FROM)
  const [payer, contract, chain] = [accountFrom(name), contractOf(), hand.chain(FROM)]
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, UNITS)
  const moves = [{ from: payer.address, to: treasury, contract, units: UNITS }]
  const plan = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
  chain.submit(signedBy(plan, payer))
  await pass(TIER)
  const rows = hand.services.database.selectFrom('deposit').select(['id', 'final'])
  const { id, final } = await rows.where('from_address', '=', payer.address).executeTakeFirstOrThrow()
  expect(final).toBe(false)
  await hand.services.refresh()
  return id
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

/** The worker's step when the job is due. */
async function sent(id: string): Promise<void> {
  await returnUnmatched(hand.services, id)
  await hand.runJobs()
  await pass(FINAL)
}

async function errandsOf(id: string): Promise<unknown[]> {
  const { rows } = await sql<{ payload: unknown }>`
    select payload from graphile_worker._private_jobs where payload->>'depositId' = ${id}`.execute(
    hand.services.database,
  )
  return rows.map(({ payload }) => payload)
}

test('of two addresses for one deposit, the last one counts', async () => {
  const id = await unmatched('mistyping payer')
  expect(await refund(id, wrong)).toBe(`${id} goes to ${wrong}`)
  await returnUnmatched(hand.services, id)
  // Minutes before the block is final, the operator notices the mistake and corrects it.
  expect(await refund(id, right)).toBe(`${id} goes to ${right} and not to ${wrong}`)
  expect(await admin(hand.services, 'unmatched', 'list')).toMatch(new RegExp(`${id} .*confirmed +${right}`))
  expect(await errandsOf(id)).toEqual([{ depositId: id }])
  await pass(FINAL)
  await sent(id)
  expect([got(wrong), got(right) > 0n]).toEqual([0n, true])
  const before = got(right)
  await expect(refund(id, wrong)).rejects.toThrow('refunded already')
  await sent(id)
  expect([got(wrong), got(right)]).toEqual([0n, before])
})

test('an address that cannot be paid is shown as refused, and another one is accepted', async () => {
  const id = await unmatched('payer of nobody')
  await pass(FINAL)
  await expect(refund(id, 'nobody')).rejects.toThrow('--to is no address of ALPHA')
  const unpayable = contractOf() ?? ''
  await refund(id, unpayable)
  await sent(id)
  expect(await admin(hand.services, 'unmatched', 'list')).toContain(`not to ${unpayable}: the address cannot be paid`)
  const before = got(right)
  await refund(id, right)
  await sent(id)
  expect(got(right)).toBeGreaterThan(before)
})

test('a deposit is not sent to one of our deposit addresses, nor to our wallet: no one would get it', async () => {
  const id = await unmatched('payer of ours')
  await pass(FINAL)
  const swap = await hand.swap(FROM, 'BETA', { useDepositAddress: true })
  for (const ours of [swap.view.receiver, chainOf(hand.services.chains, FROM).treasury]) {
    const before = got(ours)
    await refund(id, ours)
    await sent(id)
    expect(await admin(hand.services, 'unmatched', 'list')).toContain(`not to ${ours}: the address is one of ours`)
    expect(got(ours)).toBe(before)
  }
  const before = got(right)
  await refund(id, right)
  await sent(id)
  expect(got(right)).toBeGreaterThan(before)
})

test('a deposit that is ignored after a decision is not sent', async () => {
  const id = await unmatched('payer of a gift')
  await refund(id, wrong)
  await admin(hand.services, 'unmatched', 'ignore', '--deposit', id)
  await pass(FINAL)
  await sent(id)
  expect(got(wrong)).toBe(0n)
})

test('a deposit ignored by mistake can still be returned or assigned', async () => {
  const [back, given] = [await unmatched('payer who was overlooked'), await unmatched('payer who was mistaken')]
  await pass(FINAL)
  for (const id of [back, given]) {
    await admin(hand.services, 'unmatched', 'ignore', '--deposit', id)
    await expect(admin(hand.services, 'unmatched', 'ignore', '--deposit', id)).rejects.toThrow('ignored already')
    expect(await admin(hand.services, 'unmatched', 'list')).not.toContain(id)
  }
  const before = got(right)
  expect(await refund(back, right)).toBe(`${back} goes to ${right}`)
  await sent(back)
  expect(got(right)).toBeGreaterThan(before)

  const { id: swapId } = (await hand.swap(FROM, 'BETA')).view.swap
  await admin(hand.services, 'unmatched', 'assign', '--deposit', given, '--swap', swapId)
  await assignUnmatched(hand.services, given, swapId)
  await expect(refund(given, wrong)).rejects.toThrow(`belongs to the swap ${swapId}`)
})

test('an earlier decision neither sends nor assigns an ignored deposit', async () => {
  const id = await unmatched('payer of two words')
  const { id: swapId } = (await hand.swap(FROM, 'BETA')).view.swap
  await pass(FINAL)
  await admin(hand.services, 'unmatched', 'assign', '--deposit', id, '--swap', swapId)
  await admin(hand.services, 'unmatched', 'ignore', '--deposit', id)
  await assignUnmatched(hand.services, id, swapId)
  await returnUnmatched(hand.services, id, wrong)
  expect(await readDeposit(hand.services.database, id)).toMatchObject({ swap_id: null, resolution: 'ignored' })
})

test('a swap of another token is refused at once, and the earlier decision stays', async () => {
  const id = await unmatched('elsewhere')
  await refund(id, right)
  const { view } = await hand.swap('BETA', FROM)
  const assigned = admin(hand.services, 'unmatched', 'assign', '--deposit', id, '--swap', view.swap.id)
  await expect(assigned).rejects.toThrow('is for another token')
  const before = got(right)
  await pass(FINAL)
  await sent(id)
  expect(got(right)).toBeGreaterThan(before)
})
