/**
 * One dishonest operator splits a large sum into commands that are each below `FOUR_EYES_USD`: refunds of several swaps,
 * unmatched deposits, withdrawals, several kinds, at the same moment, or in the name of a person whom they made up.
 */
import { randomUUID } from 'node:crypto'
import { CreatedSwap } from '@causeway/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import type { CommandContext } from '../../../server/src/admin/context/command-context.ts'
import type { Role } from '../../../server/src/admin/context/roles.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { recordSightings } from '../../../server/src/flow/deposits/record-observations.ts'
import { applyEvent } from '../../../server/src/flow/swap/advance.ts'
import { addWithdrawalAddress } from '../../../server/src/store/limits/withdrawals.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { confirmDeposit, seeDeposit } from '../../support/service/progress.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const OWN = accountFrom('thief').address
const DAY_MS = 24 * 3_600_000
const ASKED = 'nothing is done yet'

let api: TestApi
let later = 0
beforeEach(async () => {
  later = 0
  api = await startApi()
})
afterEach(() => api.stop())

const db = () => api.services.database

/** Runs a command as mallory, or as another operator. */
async function does(words: string[], actor = 'mallory', role: Role = 'operator'): Promise<string> {
  const lines: string[] = []
  const desk: CommandContext = {
    ...{ database: db(), now: () => new Date(Date.now() + later), sign: () => '', actor, role, fourEyesUsd: 40 },
    worth: (_network, _token, units) => Number(units) / 1e6,
    chain: async (network) => chainOf(api.services.chains, network),
    market: async () => api.services,
    print: (line) => void lines.push(line),
  }
  await runCommand(desk, words)
  return lines.join('\n')
}

/** A swap that is owed this many dollars: they arrived after its deposit, from a sender that cannot get them back. */
async function owedSwap(usd: number): Promise<string> {
  const destination_address = accountFrom('recipient').address
  const body = { ...ROUTE, destination_address, amount: 10, use_deposit_address: true, slippage: 0.001 }
  const { id } = (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap
  const send = async (dollars: number) => {
    const units = BigInt(dollars) * 1_000_000n
    await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: null }, units))
  }
  await send(10)
  await applyEvent(api.services, id, { type: 'tick' })
  await send(usd)
  return id
}

/** A credited deposit of this many dollars that belongs to no swap. */
async function unmatched(usd: number): Promise<string> {
  const chain = chainOf(api.services.chains, 'ALPHA')
  const token = chain.network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  const txHash = `0x${randomUUID().replaceAll('-', '')}`
  const sighting = {
    ...{ txHash, index: 0, block: { number: 100n, hash: 'block' }, refundableSender: null, fundingAddresses: [] },
    ...{ to: chain.treasury, amount: { token, units: BigInt(usd) * 1_000_000n }, reference: null },
  }
  await db()
    .transaction()
    .execute((queries) => recordSightings(api.services, queries, chain, [sighting], 'scan'))
  const found = db().updateTable('deposit').set({ state: 'confirmed' }).where('tx_hash', '=', txHash)
  return (await found.returning('id').executeTakeFirstOrThrow()).id
}

const refundSwap = (id: string, ...more: string[]) => does(['swap', 'refund', '--id', id, '--to', OWN, ...more])
const refundDeposit = (id: string, to = OWN) => does(['unmatched', 'refund', '--deposit', id, '--to', to])

/** How many of them were carried out by one person. */
function doneOf(results: PromiseSettledResult<string>[]): number {
  return results.filter((result) => result.status === 'fulfilled' && !result.value.includes(ASKED)).length
}

test('refunds of swaps within a day count together', async () => {
  const [first, second, third] = [await owedSwap(30), await owedSwap(30), await owedSwap(9)]
  expect(await refundSwap(first)).not.toContain(ASKED)
  expect(await refundSwap(second)).toContain(ASKED)
  expect(await refundSwap(third), 'together still below the threshold').not.toContain(ASKED)
  later += DAY_MS
  expect(await refundSwap(second)).not.toContain(ASKED)
})

test('unmatched deposits count together with swaps, whatever is done with them', async () => {
  const swap = await owedSwap(30)
  const [first, second] = [await unmatched(30), await unmatched(30)]
  expect(await refundDeposit(first)).not.toContain(ASKED)
  expect(await refundDeposit(second)).toContain(ASKED)
  expect(await does(['unmatched', 'assign', '--deposit', second, '--swap', swap])).toContain(ASKED)
  expect(await refundSwap(swap)).toContain(ASKED)
})

test('commands at the same moment count each other', async () => {
  const swaps = [await owedSwap(30), await owedSwap(31), await owedSwap(32)]
  const deposits = [await unmatched(30), await unmatched(31), await unmatched(32)]
  const all = [...swaps.map((id) => refundSwap(id)), ...deposits.map((id) => refundDeposit(id))]
  expect(doneOf(await Promise.allSettled(all))).toBe(1)
})

test('a withdrawal counts together with refunds of the day before it', async () => {
  const listed = { network: 'BETA', address: OWN, note: 'cold', added_by: 'ann', added_at: new Date() }
  await addWithdrawalAddress(db(), listed)
  expect(await refundSwap(await owedSwap(30))).not.toContain(ASKED)
  const words = ['wallet', 'withdraw', '--network', 'BETA', '--token', 'USDC', '--amount', '30', '--to', OWN]
  expect(await does(words, 'mallory', 'admin')).toContain(ASKED)
})

test('a correction of the same refund counts once', async () => {
  const [swap, deposit] = [await owedSwap(15), await unmatched(20)]
  for (const to of ['mistyped', 'right']) {
    expect(await refundDeposit(deposit, accountFrom(to).address)).not.toContain(ASKED)
    expect(await does(['swap', 'refund', '--id', swap, '--to', accountFrom(to).address])).not.toContain(ASKED)
  }
})

test('what two people decided does not count', async () => {
  for (const name of ['ann', 'bob']) await api.services.database.insertInto('operator').values(admin(name)).execute()
  const [large, small] = [await owedSwap(300), await owedSwap(30)]
  const words = ['swap', 'refund', '--id', large, '--to', OWN]
  const id = /--id ([0-9a-f-]{36})/.exec(await does(words, 'ann', 'admin'))?.[1] ?? ''
  expect(await does(['request', 'confirm', '--id', id], 'bob', 'admin')).toContain('goes to')
  expect(await refundSwap(small)).not.toContain(ASKED)
})

test('requests of made-up people, confirmed one by one, count together', async () => {
  await api.services.database.insertInto('operator').values(admin('mallory')).execute()
  await api.services.database
    .insertInto('operator')
    .values({ ...admin('sock'), role: 'support' })
    .execute()
  const confirmed = async (id: string) => {
    const asked = await does(['swap', 'refund', '--id', id, '--to', OWN], 'sock', 'support')
    expect(asked).toContain(ASKED)
    const request = /--id ([0-9a-f-]{36})/.exec(asked)?.[1] ?? ''
    return does(['request', 'confirm', '--id', request], 'mallory', 'admin')
  }
  const [first, second] = [await owedSwap(30), await owedSwap(30)]
  expect(await confirmed(first)).toContain('goes to')
  await expect(confirmed(second)).rejects.toThrow('vouches for')
})

function admin(name: string) {
  const founder = name === 'sock' ? {} : { is_founder: true }
  return { name, role: 'admin' as const, public_key: name, ...founder }
}
