/**
 * A payout for which the signer demands an operator's signature: it is held until one is submitted, carries the
 * signature in its order, and uses it once.
 */

import { generateKeyPairSync } from 'node:crypto'
import type { Approval, ChainAdapter, Order } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { family } from '../../../../chains/simulated/src/index.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdWords, reasonOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { publicKeyOf, signApproval } from '../../keys/approvals/approval.ts'
import { SignerRefusal } from '../../keys/backends/refusal.ts'
import { readPolicy } from '../../keys/signer-process/policy.ts'
import { readPayout } from '../../store/payouts/payouts.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const [ann, ben, eve] = [1, 2, 3].map(() => generateKeyPairSync('ed25519').privateKey)

let database: TestDatabase
let hand: Hand
const carried: Order[] = []
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await demandApprovals()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** The chain behind a signer whose policy demands two approvals for any amount. */
async function demandApprovals(): Promise<void> {
  if (!ann || !ben) throw new Error('keys are needed')
  const { catalogue, chains } = hand.services
  const ceilings = { max: '1000000', max_per_hour: '1000000', approval_above: '0', two_approvals_above: '0' }
  const approvers = { ann: publicKeyOf(ann), ben: publicKeyOf(ben) }
  const file = { approvers, networks: { [TO]: { tokens: { USDC: ceilings } } } }
  const policy = await readPolicy(file, catalogue, async () => family)
  const adapter: ChainAdapter = chainOf(chains, TO)
  const { prepare } = adapter
  adapter.prepare = async (order, replaces) => {
    carried.push(order)
    const reason = policy.judge(TO, order, null)
    if (reason) throw new SignerRefusal(reason)
    return prepare(order, replaces)
  }
}

const operator = (...words: string[]) => admin(hand.services, 'payout', ...words)

test('it waits for both signatures, rejects those of other people or payouts, and is then paid', async () => {
  const ids: string[] = []
  for (let made = 0; made < 2; made++) {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    hand.chain(FROM).mine(TIER)
    await hand.watch(FROM)
    const { id } = await hand.services.database
      .selectFrom('payout')
      .select('id')
      .where('swap_id', '=', swap.view.swap.id)
      .executeTakeFirstOrThrow()
    ids.push(id)
  }
  const [id = '', other = ''] = ids
  const held = () => reasonOf(hand.services.database, id)
  await hand.runJobs()
  expect(await held()).toContain('it needs an approval that an operator signed')

  const signed = async (payout: string, key = ann, ...again: string[]) => {
    if (!key) throw new Error('a key is needed')
    return signApproval(`${await operator('approval', '--id', payout, ...again)}\n`, key)
  }
  const handIn = async (signature: string) => {
    await operator('approve', ...(await holdWords(hand.services.database, id)), '--signature', signature)
    await hand.runJobs()
  }
  const none = 'this is no signature of what'
  await expect(handIn(await signed(other))).rejects.toThrow(none)
  await expect(handIn('abc.def')).rejects.toThrow('--signature is a signature')
  await handIn(await signed(id, eve))
  expect(await held()).toContain('it needs an approval that an operator signed')
  await handIn(await signed(id))
  expect(await held()).toContain('it needs the approvals of two operators')
  await expect(handIn(await signed(id))).rejects.toThrow('has signed for it already')
  await handIn(await signed(id, ben))
  hand.chain(TO).mine(1)
  const payout = await readPayout(hand.services.database, id)
  expect(payout).toMatchObject({ started: true })
  expect(hand.chain(TO).balance(payout?.to_address ?? '', usdcOf())).toBe(payout?.units)
  const approval = carriedFor(id)
  expect(approval).toMatchObject({ payout: id, attempt: 1 })
  expect(approval?.signatures).toHaveLength(3)
  expect((await readPayout(hand.services.database, other))?.started).toBe(false)
})

test('a further attempt has its own text, and only signatures of that text are carried', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  const { id } = await hand.services.database
    .selectFrom('payout')
    .select('id')
    .where('swap_id', '=', swap.view.swap.id)
    .executeTakeFirstOrThrow()
  const sign = async (key = ann, ...again: string[]) => {
    const text = `${await operator('approval', '--id', id, ...again)}\n`
    const words = await holdWords(hand.services.database, id)
    if (key) await operator('approve', ...words, '--signature', signApproval(text, key))
    return text
  }
  expect(await sign(ann)).toContain('attempt 1\n')
  expect(await sign(ann, '--again', 'yes')).toContain('attempt 2\n')
  expect(await sign(ben)).toContain('attempt 2\n')
  await hand.runJobs()
  const approval = carriedFor(id)
  expect(approval).toMatchObject({ payout: id, attempt: 2 })
  expect(approval?.signatures).toHaveLength(2)
  expect((await readPayout(hand.services.database, id))?.started).toBe(true)
})

/** The approval in the newest order that pays this payout. */
function carriedFor(id: string): Approval | undefined {
  const approvals = carried.flatMap((order) => (order.kind === 'transfers' ? order.transfers : []))
  return approvals.findLast(({ approval }) => approval?.payout === id)?.approval
}

function usdcOf(): string | null {
  const network = hand.services.catalogue.network(TO)
  return network.tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null
}
