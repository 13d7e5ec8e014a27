/** Of several decisions on the same object the last one counts, whichever is processed first. */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { assignUnmatched, returnUnmatched } from '../../flow/swap/resolve-unmatched.ts'
import { decideReturn, listUnmatched, lockUnmatched, readDeposit } from '../../store/deposits/unmatched.ts'

const FROM = 'ALPHA'
const FINAL = 6
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
const right = accountFrom('right').address

async function unmatched(name: string): Promise<string> {
  const { treasury, network } = chainOf(hand.services.chains, FROM)
  const contract = network.tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null
  const [payer, chain] = [accountFrom(name), hand.chain(FROM)]
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, UNITS)
  const moves = [{ from: payer.address, to: treasury, contract, units: UNITS }]
  chain.submit(
    signedBy({ network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }, payer),
  )
  chain.mine(2 * FINAL)
  await hand.watch(FROM)
  await hand.services.refresh()
  const rows = hand.services.database.selectFrom('deposit').select('id')
  return (await rows.where('from_address', '=', payer.address).executeTakeFirstOrThrow()).id
}

/** Runs all jobs of a deposit in the order in which they were added, as when a stopped service starts again. */
async function runErrands(id: string): Promise<void> {
  const { rows } = await sql<{ payload: { depositId: string; swapId?: string } }>`
    select payload from graphile_worker._private_jobs where payload->>'depositId' = ${id} order by id`.execute(
    hand.services.database,
  )
  for (const { payload } of rows) {
    if (payload.swapId) await assignUnmatched(hand.services, id, payload.swapId)
    else await returnUnmatched(hand.services, id)
  }
}

const assign = (id: string, swapId: string) =>
  admin(hand.services, 'unmatched', 'assign', '--deposit', id, '--swap', swapId)

test('of two swaps that a deposit is assigned to, the last one gets it', async () => {
  const id = await unmatched('payer of one of two')
  const [wrongSwap, rightSwap] = [await hand.swap(FROM, 'BETA'), await hand.swap(FROM, 'BETA')].map(
    ({ view }) => view.swap.id,
  ) as [string, string]
  await assign(id, wrongSwap)
  expect(await assign(id, rightSwap)).toBe(`${id} goes to ${rightSwap}`)
  await runErrands(id)
  expect((await readDeposit(hand.services.database, id))?.swap_id).toBe(rightSwap)
})

test('a deposit assigned to a swap after all is not sent to the address named before, as the list says', async () => {
  const id = await unmatched('payer of a swap after all')
  const { id: swapId } = (await hand.swap(FROM, 'BETA')).view.swap
  await admin(hand.services, 'unmatched', 'refund', '--deposit', id, '--to', right)
  await assign(id, swapId)
  expect(await admin(hand.services, 'unmatched', 'list')).toMatch(new RegExp(`${id} .*confirmed +swap ${swapId}`))
  await runErrands(id)
  expect(await readDeposit(hand.services.database, id)).toMatchObject({ swap_id: swapId, resolution: 'assigned' })
})

test('a job of an older version that names a swap gives way to a later decision', async () => {
  const id = await unmatched('payer of an older release')
  const [wrongSwap, rightSwap] = [await hand.swap(FROM, 'BETA'), await hand.swap(FROM, 'BETA')]
  await assign(id, rightSwap.view.swap.id)
  await assignUnmatched(hand.services, id, wrongSwap.view.swap.id)
  expect((await readDeposit(hand.services.database, id))?.swap_id).toBe(rightSwap.view.swap.id)
})

test('a decision made while a job waits for the deposit is the one that is carried out', async () => {
  const id = await unmatched('payer in a hurry')
  const [wrongSwap, rightSwap] = [await hand.swap(FROM, 'BETA'), await hand.swap(FROM, 'BETA')]
  const { database: books, now } = hand.services
  await assign(id, wrongSwap.view.swap.id)
  let errand: Promise<string> | undefined
  await books.transaction().execute(async (queries) => {
    await lockUnmatched(queries, id)
    errand = assignUnmatched(hand.services, id).then(() => 'done', String)
    await setTimeout(300)
    await decideReturn(queries, id, { swapId: rightSwap.view.swap.id }, now())
  })
  expect(await errand).toContain('something else was said')
  await assignUnmatched(hand.services, id)
  expect((await readDeposit(books, id))?.swap_id).toBe(rightSwap.view.swap.id)
})

test('a deposit that is sent back after all does not go to the swap that was named before', async () => {
  const id = await unmatched('payer who wants it back')
  const { id: wrongSwap } = (await hand.swap(FROM, 'BETA')).view.swap
  await assign(id, wrongSwap)
  const said = await admin(hand.services, 'unmatched', 'refund', '--deposit', id, '--to', right)
  expect(said).toBe(`${id} goes to ${right}`)
  await runErrands(id)
  expect(await readDeposit(hand.services.database, id)).toMatchObject({ swap_id: null, resolution: 'refunded' })
})

test('dust by the hundred hides no deposit from the list', async () => {
  const id = await unmatched('payer among dust')
  const { database: books } = hand.services
  await sql`insert into deposit select (jsonb_populate_record(deposit, jsonb_build_object('id', gen_random_uuid(),
    'tx_hash', 'dust ' || number, 'units', 1, 'seen_at', seen_at - interval '1 hour'))).*
    from deposit, generate_series(1, 500) number where id = ${id}::uuid`.execute(books)
  const listed = await admin(hand.services, 'unmatched', 'list')
  expect(listed.includes(id) || /more|newer/.test(listed.split('\n').at(-1) ?? ''), 'shown, or said to be there').toBe(
    true,
  )
  // The largest comes first, and the smallest that was left out can still be found.
  expect(listed.split('\n').at(1)).toContain(id)
  expect(listed.split('\n').at(-1)).toMatch(/^and 1 more, of less/)
  const dust = /dust \d+/.exec(await admin(hand.services, 'unmatched', 'list', '--transaction', 'dust 7'))
  expect(dust?.[0]).toBe('dust 7')
  expect(await admin(hand.services, 'unmatched', 'list', '--transaction', 'none')).toBe('there is no unmatched deposit')
})

test('deposits with and without a price do not hide each other', async () => {
  const { database: books } = hand.services
  const [first] = await listUnmatched(books, 1)
  const { treasury, network } = chainOf(hand.services.chains, FROM)
  await sql`insert into deposit select (jsonb_populate_record(deposit, jsonb_build_object('id', gen_random_uuid(),
    'tx_hash', 'coin ' || number, 'units', number, 'token', 'native', 'to_address', ${treasury}::text))).*
    from deposit, generate_series(1, 9) number where id = ${first?.id}::uuid`.execute(books)
  const shown = async (priced: string) => {
    const rows = await listUnmatched(books, 4, (_network, token, units) => (token === priced ? Number(units) : null))
    return rows.map(({ token, units }) => `${units} ${token}`)
  }
  const usdc = network.tokens.find(({ symbol }) => symbol === 'USDC')?.contract
  expect(await shown('native')).toEqual(['9 native', `${UNITS} ${usdc}`, '8 native', `1 ${usdc}`])
  expect(await shown('nothing')).toEqual(
    expect.arrayContaining(['9 native', '8 native', `${UNITS} ${usdc}`, `1 ${usdc}`]),
  )
})
