/**
 * Stores lines of the signing journal that a restored database lacks. Each line is one database transaction; storing it
 * twice changes nothing.
 */
import { randomUUID } from 'node:crypto'
import { Bug } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { addJob, laneOf } from '../db/jobs.ts'
import type { StoredLeg } from '../db/schema.ts'
import type { RecordedKind } from '../db/schema-journal.ts'
import { adoptAttempts, findSlot, linesOf, payoutsIn } from '../journal/adopt.ts'
import { adoptSignedLeg } from '../payouts/legs.ts'
import { readPayout } from '../payouts/payouts.ts'
import { freePayouts, releaseSlot, type SlotRow, settleSlot } from '../payouts/slots.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { insertDepositAddress } from '../watch/addresses.ts'

/** A payout in the form of a journal line. */
interface LinePayout {
  id: string
  kind: string
  swap: string | null
  token: string
  units: string
  to: string
  campaign?: string | undefined
  sources?: readonly { address: string; index: number; branch?: number | undefined }[] | undefined
  settles: readonly string[]
  /** The terms of the exchange that was signed. */
  leg?: StoredLeg
}

export interface SignedLine {
  n: number
  hash: string
  network: string
  account: string
  slot: readonly string[]
  attempt: number
  cancels: boolean
  payouts: readonly LinePayout[]
  transfer: { hash: string; bytes: string; fee: string }
}

export interface ClosedLine {
  n: number
  network: string
  account: string
  slot: readonly string[]
  evidence: unknown
  /** Whether other orders may use the slot's parts again. */
  isFreed: boolean
}

/**
 * Kinds of payouts that move money out of the service. The other kinds spend only fees, or move coins between our own
 * addresses. A sale moves one token out and another one in.
 */
const LEAVING: readonly string[] = ['output', 'refuel', 'refund', 'return', 'reward', 'withdrawal']
const NATIVE = 'native'

/**
 * Stores a signed line. After it the slot is an ordinary open one: the watcher judges it, and its bytes are sent again.
 */
export async function replaySigned(queries: Queries, line: SignedLine, now: Date): Promise<void> {
  const { network, account } = line
  await queries
    .insertInto('signing_account')
    .values({ network, account, fence: 0n })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await insertTreasury(queries, network, account)
  const slot =
    (await slotFor(queries, line)) ?? (await insertSlot(queries, line, await insertPayouts(queries, line, now)))
  for (const { id, leg } of line.payouts) if (leg) await adoptSignedLeg(queries, id, leg)
  const { hash, bytes, fee } = line.transfer
  const attempt = { number: line.attempt, hash, bytes, feeCeiling: BigInt(fee), cancels: line.cancels }
  await adoptAttempts(queries, slot.id, [{ ...attempt, line: { n: line.n, hash: line.hash } }], now)
  for (const payoutId of await payoutsIn(queries, slot.id))
    await addJob(queries, { task: 'pay', payload: { payoutId }, lane: laneOf(network, account) })
}

/** Stores a closing line that proves that nothing was paid in the slot: its payouts may get another one. */
export async function replayUnpaid(queries: Queries, line: ClosedLine): Promise<void> {
  const slot = await openSlotBefore(queries, line)
  if (!slot) return
  const evidence = (line.evidence ?? null) as Parameters<typeof settleSlot>[3]
  await settleSlot(queries, slot.id, line.isFreed ? 'dead' : 'landed', evidence)
  await freePayouts(queries, slot.id, { refused: false, failedAt: null })
  for (const payoutId of await payoutsIn(queries, slot.id))
    await addJob(queries, { task: 'pay', payload: { payoutId }, lane: laneOf(slot.network, slot.account) })
}

/** The slot that the line closes. The same parts may also be in a later slot, which was signed after this line. */
async function openSlotBefore(queries: Queries, { n, network, account, slot: parts }: ClosedLine) {
  const { rows } = await sql<SlotRow>`select slot.* from slot
    where network = ${network} and account = ${account} and parts = ${[...parts]}::text[] and state = 'open'
      and exists (select from attempt where slot_id = slot.id and journal_n < ${n})
      and not exists (select from attempt where slot_id = slot.id and journal_n > ${n})
    for update`.execute(queries)
  return rows[0]
}

/**
 * Stores payouts that an operator attributed to a transaction on chain. They get the slot that the transaction used,
 * and are confirmed by it.
 */
export async function insertFound(
  queries: Queries,
  found: { network: string; account: string; slot: readonly string[]; hash: string; payouts: readonly PayoutRow[] },
  now: Date,
): Promise<void> {
  const { hash } = found
  const payouts = found.payouts.map((row) => ({
    ...{ id: row.id, kind: row.kind, swap: row.swap_id, token: row.token, units: `${row.units}`, to: row.to_address },
    settles: [],
  }))
  const transfer = { hash, bytes: '', fee: '0' }
  const line: SignedLine = { ...found, n: 0, attempt: 0, cancels: false, payouts, transfer }
  const ids = payouts.map(({ id }) => id)
  const slot = (await slotFor(queries, line)) ?? (await insertSlot(queries, line, ids))
  const attempt = { slot_id: slot.id, number: 0, hash, bytes: '', fee_ceiling: 0n, created_at: now }
  await queries
    .insertInto('attempt')
    .values({ ...attempt, sent_at: now, accepted_at: now })
    .execute()
  await queries.updateTable('payout').set({ sent_at: now }).where('id', 'in', ids).execute()
}

/** Stores a former wallet, which stays watched. The present wallet stays the newest in the table. */
async function insertTreasury(queries: Queries, network: string, address: string): Promise<void> {
  const rows = queries.selectFrom('treasury').select('address').where('network', '=', network).orderBy('id')
  const known = await rows.execute()
  if (known.some((one) => one.address === address)) return
  const present = known.at(-1)?.address
  await queries.insertInto('treasury').values({ network, address }).execute()
  if (present !== undefined) await queries.insertInto('treasury').values({ network, address: present }).execute()
}

/**
 * The slot in which the line was signed, if the database has it. A slot without a signature that uses its parts is
 * released first.
 */
async function slotFor(queries: Queries, line: SignedLine): Promise<SlotRow | null> {
  const { network, account } = line
  const found = await findSlot(queries, line)
  if (found && found.state !== 'dead') {
    const inside = new Set(await payoutsIn(queries, found.id))
    // The journal lets one order into a slot. A payout that was given up meanwhile is in it under another id.
    if (line.payouts.every(({ id }) => inside.has(id)) || (await linesOf(queries, found.id)).length > 0) return found
  }
  const rows = await queries
    .selectFrom('slot_part')
    .select('slot_id')
    .distinct()
    .where('network', '=', network)
    .where('account', '=', account)
    .where('part', 'in', [...line.slot])
    .execute()
  for (const { slot_id } of rows) {
    if (!(await releaseSlot(queries, slot_id)))
      throw new Bug('the journal and the database have different signatures for a slot', { line: line.n, network })
  }
  return null
}

async function insertSlot(queries: Queries, line: SignedLine, payoutIds: readonly string[]): Promise<SlotRow> {
  const { network, account } = line
  const slot = await queries
    .insertInto('slot')
    .values({ network, account, parts: [...line.slot], state: 'open' })
    .returningAll()
    .executeTakeFirstOrThrow()
  const parts = line.slot.map((part) => ({ network, account, part, slot_id: slot.id }))
  await queries.insertInto('slot_part').values(parts).execute()
  for (const id of payoutIds) {
    // An earlier slot of this payout without a signature is released.
    const live = await queries
      .selectFrom('slot_payout')
      .select('slot_id')
      .where('payout_id', '=', id)
      .where('live', '=', true)
      .executeTakeFirst()
    if (live && !(await releaseSlot(queries, live.slot_id)))
      throw new Bug('a payout of the journal has another signed slot', { line: line.n, payout: id })
    await queries.updateTable('payout').set({ started: true, account, sent_at: null }).where('id', '=', id).execute()
    await queries.insertInto('slot_payout').values({ slot_id: slot.id, payout_id: id }).execute()
  }
  return slot
}

async function insertPayouts(queries: Queries, line: SignedLine, now: Date): Promise<string[]> {
  const ids: string[] = []
  for (const payout of line.payouts) ids.push(await insertPayout(queries, line, payout, now))
  // Only a cancellation was signed. The slot still needs a payout, by which its outcome is recorded.
  return ids.length > 0 ? ids : [await insertRecorded(queries, line, null, randomUUID(), now)]
}

async function insertPayout(queries: Queries, line: SignedLine, payout: LinePayout, now: Date): Promise<string> {
  await watchSources(queries, line, payout)
  const known = await readPayout(queries, payout.id)
  if (!known) return insertRecorded(queries, line, payout, payout.id, now)
  if (known.state !== 'abandoned') return known.id
  // The payout was given up after the rollback, although it was signed before. A recorded payout is stored beside it.
  if (known.kind !== 'recorded') return insertRecorded(queries, line, payout, randomUUID(), now)
  await queries.updateTable('payout').set({ state: 'open' }).where('id', '=', known.id).execute()
  await insertKeys(queries, known.id, payout.settles)
  return known.id
}

async function insertRecorded(
  queries: Queries,
  { n, network, account }: SignedLine,
  payout: LinePayout | null,
  id: string,
  now: Date,
): Promise<string> {
  const kind = (payout?.kind ?? 'cancel') as RecordedKind
  const isLeaving = payout !== null && (LEAVING.includes(kind) || payout.leg !== undefined)
  await queries
    .insertInto('payout')
    .values({
      ...{ id, swap_id: null, number: 0, kind: 'recorded', deposit_id: null, network, account, state: 'open' },
      ...{ token: payout?.token ?? NATIVE, units: isLeaving ? BigInt(payout.units) : 0n },
      ...{ to_address: payout?.to ?? account, created_at: now },
      leg: payout?.leg ? JSON.stringify(payout.leg) : null,
    })
    .execute()
  await queries
    .insertInto('recorded_payout')
    .values({
      ...{
        payout_id: id,
        kind,
        swap_id: payout?.swap ?? null,
        campaign: payout?.campaign ?? null,
        journal_n: BigInt(n),
      },
    })
    .execute()
  await insertKeys(queries, id, payout?.settles ?? [])
  return id
}

async function insertKeys(queries: Queries, payoutId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await queries
    .insertInto('settled_key')
    .values(keys.map((key) => ({ key, payout_id: payoutId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Watches the addresses that a sweep emptied. They are ours, even if the swaps for which they were created are lost.
 */
async function watchSources(queries: Queries, { network, account }: SignedLine, { sources = [] }: LinePayout) {
  for (const { address, index, branch = 0 } of sources ?? [])
    await insertDepositAddress(queries, { network, account, branch, index, address, purpose: 'restored' })
}
