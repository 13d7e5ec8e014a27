/**
 * After a restore one transaction may have made several payouts, and each may now be for another amount. Each needs its
 * own decision; a decision holds from the moment it is made, whatever its queue has processed.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { expireSwaps } from '../../flow/swap/expire.ts'
import { unexplainedBy } from '../../store/restore/restored.ts'
import { type CreatedSwap, createSwap } from '../../swaps/create-swap.ts'

const OPENED_MS = 200_000
/** Of the coin that is swapped at the price of the day. */
const SENT = 10n ** 17n
const [DEARER, CHEAPER] = ['2100', '1900']

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.run('switch', 'resume', '--scope', 'service').catch(() => undefined)
  await world.hand().services.safeguards.refresh()
  await world.settle()
})

const batching = () => {
  chainOf(world.hand().services.chains, TO).batch = { maxTransfers: 4 }
}

/** Of an open amount: whatever comes is swapped at the price of that day. */
async function openSwap(refuel = false): Promise<CreatedSwap> {
  const { services } = world.hand()
  await services.refresh()
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  const no = { useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true }
  return createSwap(services, {
    ...{ ...nobody, ...no, refuel, sourceNetwork: FROM, destinationNetwork: TO, useDepositAddress: true },
    ...{ sourceToken: 'SIM', destinationToken: 'USDC' },
    ...{ amount: null, referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom(`open recipient ${crypto.randomUUID()}`).address,
    refundAddress: accountFrom('open refunds').address,
  })
}

function send({ view: { receiver } }: CreatedSwap, units: bigint): void {
  const chain = world.hand().chain(FROM)
  const payer = accountFrom('open payer')
  chain.mint(payer.address, null, chain.feePerMove + units)
  const moves = [{ from: payer.address, to: receiver, contract: null, units }]
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...transfer, memo: null, moves }, payer))
}

/** An open amount is swapped when nothing more has come for a while. */
async function closeOpen(): Promise<void> {
  world.hand().passTime(OPENED_MS)
  await world.hand().services.refresh()
  await expireSwaps(world.hand().services)
  await world.settle()
}

interface Paid {
  big: CreatedSwap
  small: CreatedSwap
  /** The transaction that paid both. */
  txHash: string
  /** What both recipients had got when the database went back. */
  had: bigint[]
}

const got = ({ big, small }: Pick<Paid, 'big' | 'small'>) => [world.received(big), world.received(small)]

/** One transaction pays two swaps; then the database forgets it, and one of them is ordered again at that price. */
async function payTwoAtOnce(price: string): Promise<Paid> {
  world.hand().services.prices.SIM = '2000'
  batching()
  const both = { big: await openSwap(), small: await world.hand().swap(FROM, TO, { amount: '5' }) }
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  send(both.big, SENT)
  world.hand().deposit(both.small)
  await world.mineAndWatch(FROM, 20)
  await closeOpen()
  const sent = await world.sentSince(TO, base)
  expect(sent).toHaveLength(1)
  await goBack(backup, price)
  return { ...both, txHash: sent[0] ?? '', had: got(both) }
}

async function goBack(backup: string, price: string): Promise<void> {
  await world.goBackTo(backup)
  batching()
  world.hand().services.prices.SIM = price
  await world.hand().services.refresh()
  await world.sayRestored()
  await world.settle()
  await closeOpen()
  await world.run('switch', 'resume', '--scope', 'service')
  await world.hand().services.safeguards.refresh()
  await goOn()
}

async function goOn(): Promise<void> {
  await world.hand().runJobs()
  await world.askAgain()
  await world.settle()
}

async function say(word: 'paid' | 'unpaid', swap: CreatedSwap, ...more: string[]): Promise<string> {
  return world.run('restored', word, '--payout', (await world.payoutOf(swap)).id, ...more)
}

const by = (txHash: string) => ['--transaction', txHash] as const

/** As if the lane had never come to what was said. */
async function loseJobs(): Promise<void> {
  await sql`delete from graphile_worker._private_jobs where key like 'countAsPaid:%'`.execute(
    world.hand().services.database,
  )
}

test.each([DEARER, CHEAPER])(
  'a transaction that one payout alone would explain has paid another one too (price %s)',
  async (price) => {
    const paid = await payTwoAtOnce(price)
    const { big, small, txHash, had } = paid
    expect(got(paid)).toEqual(had)
    await say('paid', big, ...by(txHash))
    await goOn()
    expect(await world.statusOf(big)).toBe('completed')
    expect(got(paid)).toEqual(had)
    expect(await world.payoutOf(small)).toMatchObject({ state: 'open', started: false })
    const listed = await world.run('restored', 'list')
    for (const word of [txHash, (await world.payoutOf(small)).id]) expect(listed).toContain(word)
    // Whatever was swapped for that token may still have been paid by it, and not only as it is ordered now.
    const { network, token } = await world.payoutOf(big)
    const hashes = (await unexplainedBy(world.hand().services.database, [[network, token]])).map((row) => row.tx_hash)
    expect(hashes).toContain(txHash)

    await say('paid', small, ...by(txHash))
    await goOn()
    expect(await world.statusOf(small)).toBe('completed')
    expect(await world.payoutOf(small)).toMatchObject({ state: 'confirmed', tx_hash: txHash })
    expect(got(paid)).toEqual(had)
    await world.run('restored', 'accept', '--transaction', txHash)
    expect(await world.run('restored', 'list')).toBe('no transaction waits for a review\nno payout waits for a review')
    await world.expectBooksEqualChains()
  },
)

test('decisions on both before the queue processes the first hold for both, and the amounts are reported', async () => {
  const paid = await payTwoAtOnce(DEARER)
  const { big, small, txHash, had } = paid
  expect(await say('paid', small, ...by(txHash))).toMatch(/counts as made by \w+$/)
  expect(await say('paid', big, ...by(txHash))).toContain('ordered anew for more')
  await goOn()
  expect([await world.statusOf(big), await world.statusOf(small)]).toEqual(['completed', 'completed'])
  expect(got(paid)).toEqual(had)
  await world.expectBooksEqualChains()
})

test("a decision holds at once even if its job is lost, and is carried out at the payout's next check", async () => {
  const paid = await payTwoAtOnce(DEARER)
  const { small, txHash, had } = paid
  await say('paid', small, ...by(txHash))
  await loseJobs()
  const { id } = await world.payoutOf(small)
  const { database } = world.hand().services
  // Not even a worker that has looked before can begin it.
  const begin = database.updateTable('payout').set({ started: true }).where('id', '=', id).execute()
  await expect(begin).rejects.toThrow('payout_made_in')
  await world.askAgain()
  await world.hand().runJobs()
  expect(await world.statusOf(small)).toBe('completed')
  await world.settle()
  expect(got(paid)).toEqual(had)
})

test('a word that a transaction made it outlasts another restore', async () => {
  const paid = await payTwoAtOnce(DEARER)
  const { big, small, txHash, had } = paid
  await say('paid', small, ...by(txHash))
  await loseJobs()
  await goBack(await world.backup(), DEARER)
  expect(await world.statusOf(small)).toBe('completed')
  expect(await world.payoutOf(big)).toMatchObject({ state: 'open', started: false })
  expect(got(paid)).toEqual(had)
})

test('a repeated decision is one decision; only naming the transaction again revokes it', async () => {
  const paid = await payTwoAtOnce(DEARER)
  const { big, small, txHash, had } = paid
  await say('paid', small, ...by(txHash))
  expect(await say('paid', small, ...by(txHash.toUpperCase()))).toContain('as was said before')
  await expect(say('unpaid', small)).rejects.toThrow(`--despite ${txHash}`)
  await say('unpaid', small, '--despite', txHash)
  // Nothing of it was sent yet: the mistake can be corrected.
  await say('paid', small, ...by(txHash))
  await goOn()
  expect(got(paid)).toEqual(had)
  expect(await world.statusOf(small)).toBe('completed')
  expect(await say('paid', small, ...by(txHash))).toContain('as was said before')
  await expect(say('unpaid', small)).rejects.toThrow(`--despite ${txHash}`)
  await expect(say('paid', small, ...by('ff'.repeat(32)))).rejects.toThrow(`counts as made by ${txHash} already`)
  await expect(say('paid', big, ...by('ff'.repeat(32)))).rejects.toThrow('sent nothing of that token')

  await say('paid', big, ...by(txHash))
  await say('unpaid', big, '--despite', txHash)
  await goOn()
  expect(world.received(big)).toBe((had[0] ?? 0n) + (await world.payoutOf(big)).units)
  await expect(say('paid', big, ...by(txHash))).rejects.toThrow('does not wait for a review')
})

test('a refuel to the same recipient waits for its own decision; the fee of another one did not make it', async () => {
  world.hand().services.prices.SIM = '2000'
  const swap = await openSwap(true)
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  send(swap, SENT)
  await world.mineAndWatch(FROM, 20)
  await closeOpen()
  const sent = await world.sentSince(TO, base)
  expect(sent).toHaveLength(2)
  const native = () => world.hand().chain(TO).balance(swap.view.swap.destinationAddress, null)
  const had = [world.received(swap), native()]
  await goBack(backup, DEARER)

  const payouts = async () => {
    const rows = world.hand().services.database.selectFrom('payout').selectAll()
    return rows.where('swap_id', '=', swap.view.swap.id).orderBy('kind').execute()
  }
  const [output, refuel] = await payouts()
  expect([output?.kind, refuel?.kind]).toEqual(['output', 'refuel'])
  const paid = (id = '', txHash = '') => world.run('restored', 'paid', '--payout', id, '--transaction', txHash)
  const [first = '', second = ''] = sent
  const outputBy = await paid(output?.id, first).then(
    () => first,
    () => paid(output?.id, second).then(() => second),
  )
  await goOn()
  expect((await payouts()).map(({ state }) => state)).toEqual(['confirmed', 'open'])
  await expect(paid(refuel?.id, outputBy)).rejects.toThrow('sent nothing of that token')
  await paid(refuel?.id, outputBy === first ? second : first)
  await goOn()
  expect(await world.statusOf(swap)).toBe('completed')
  expect([world.received(swap), native()]).toEqual(had)
  await world.expectBooksEqualChains()
})
