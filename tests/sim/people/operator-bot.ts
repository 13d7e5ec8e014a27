/**
 * The operator of a run: handles unknown transactions of wallets, the review after `restored`, halted wallets, reorged
 * payouts, and payouts whose deposit is lost. It follows `docs/operate/restore.md` and knows what an explorer shows.
 */

import { listHaltDifferences, listHalts } from '../../../server/src/store/limits/halts.ts'
import { listSwitches } from '../../../server/src/store/limits/safeguards.ts'
import { type HeldPayout, isApproved, listHeld, readOpenHold } from '../../../server/src/store/payouts/holds.ts'
import {
  doubtfulPayouts,
  listMovements,
  listRestored,
  openPayoutIds,
  payoutsOfSlot,
  type RestoredRow,
} from '../../../server/src/store/restore/restored.ts'
import type { PayoutEntry } from '../oracle/chronicle.ts'
import { chainIn, isRobbed, type World } from '../world/world.ts'
import { command } from './admin-commands.ts'

/** More than ever exist at once here. */
const ALL = 10_000
/** Addresses that may have been given out since the backup: only a few in a run. */
const GAPS = ['--watch', '12']

/**
 * The step that the service waits for while everything is paused, by the code of the pause. The backup may be from the
 * middle of a review.
 */
export async function askedOf({ desk }: World): Promise<'restored' | 'review' | null> {
  const pause = (await listSwitches(desk.database)).find(({ scope }) => scope === 'service')
  if (pause?.code === 'unknown_outflow') return 'restored'
  return pause?.code === 'restored' ? 'review' : null
}

export async function attend(world: World): Promise<void> {
  const held = await listHeld(world.desk.database, ALL)
  const asked = await askedOf(world)
  if (asked === 'review') world.restoring ??= 'review'
  const isAsked =
    asked === 'restored' || (world.restoring === null && held.some(({ hold }) => hold?.hold.code === 'unknown_outflow'))
  if (isAsked || world.restoring === 'again') await sayRestored(world)
  if (world.restoring === 'review') await review(world)
  // Payouts ordered after the review are in doubt as well.
  if (world.restoring === null) await answerDoubtful(world)
  await releaseWallets(world)
  await answerUndone(world)
  await answerLost(world)
}

/** Refused while something is not final yet: then it is repeated later. */
export async function sayRestored(world: World): Promise<void> {
  const known = new Set(
    (await world.query<{ branch: number }>('select branch from address_branch')).map(({ branch }) => branch),
  )
  const lost = world.branches.filter((branch) => !known.has(branch))
  const branches = lost.length > 0 ? ['--branches', lost.join(',')] : []
  world.restoring = (await command(world, 'restored', ...GAPS, ...branches)) ? 'review' : 'again'
}

/** After the service has caught up: decides which transaction made which payout, then resumes everything. */
async function review(world: World): Promise<void> {
  const { database } = world.desk
  const [behind] = await world.query<{ network: string }>(
    `select restoration.network from restoration left join chain_cursor on chain_cursor.network = restoration.network
     where unread or coalesce(head_number, 0) <= until_block`,
  )
  if (behind) return
  // Resuming before the review leaves everything in doubt on hold.
  if (world.isImpatient && (await askedOf(world)) !== null) return resume(world)
  await answerDoubtful(world)
  // The service carries out the decisions; the rest is reviewed when nothing is in doubt any more.
  if (
    (await doubtfulPayouts(database, await openPayoutIds(database, [...world.chains.keys()]), world.desk.now())).size >
    0
  )
    return
  const found = await listRestored(database, ALL)
  for (const row of found) {
    if (!(await isExplained(world, row))) return
    const [standing] = await doubtfulPayouts(database, await payoutsOfSlot(database, row), world.desk.now())
    if (!standing) await command(world, 'restored', 'accept', '--transaction', row.tx_hash)
  }
  if ((await listRestored(database, 1)).length > 0) return
  if (!world.isImpatient) await resume(world)
  if ((await askedOf(world)) === null) world.restoring = null
}

async function resume(world: World): Promise<void> {
  if (!(await command(world, 'switch', 'resume', '--scope', 'service'))) return
  for (const pause of world.pauses) if (pause.scope === 'service') pause.toMs = Math.min(pause.toMs, world.elapsedMs)
  // A scope that was paused at the backup and resumed since is paused again.
  for (const { scope } of await listSwitches(world.desk.database)) {
    const isMeant = world.pauses.some((pause) => pause.scope === scope && pause.toMs > world.elapsedMs)
    if (!isMeant && scope !== 'service') await command(world, 'switch', 'resume', '--scope', scope)
  }
}

/** A decision about each payout that may have been made before. */
async function answerDoubtful(world: World): Promise<void> {
  const { database } = world.desk
  const found = await listMovements(database, ALL)
  const all = found.map(({ tx_hash }) => tx_hash).join(',')
  for (const id of await doubtfulPayouts(
    database,
    await openPayoutIds(database, [...world.chains.keys()]),
    world.desk.now(),
  )) {
    const txHash = await madeBy(world, id, found)
    // Already settled in the other way: it must not be settled a second time.
    if (txHash === null && (await isSettled(world, id, found))) await giveUp(world, id)
    if (txHash === null) await command(world, 'restored', 'unpaid', '--payout', id, '--despite', all)
    else await command(world, 'restored', 'paid', '--payout', id, '--transaction', txHash)
  }
}

/** Even if it was reorged before, and approved since. */
async function giveUp(world: World, id: string): Promise<void> {
  const hold = await readOpenHold(world.desk.database, id)
  const words = ['payout', 'reject', '--id', id, ...(hold ? ['--hold', hold.id] : [])]
  if (!(await command(world, ...words))) await command(world, ...words, '--as', 'not-made')
}

/** The transaction that paid for the same purpose; null if there is none. */
async function madeBy(world: World, payoutId: string, found: readonly RestoredRow[]): Promise<string | null> {
  const { record, purposeOf } = world.oracle
  const wanted = record.payouts.get(payoutId)
  if (!wanted) return null
  const isIt = (row: RestoredRow) => madeIn(world, row).some((payout) => purposeOf(payout) === purposeOf(wanted))
  // In whatever amount: the order may be for another amount now.
  const row = found.find((one) => one.network === wanted.network && one.token === wanted.token && isIt(one))
  return row?.tx_hash ?? null
}

/** The payouts of a transaction, as known when it was signed. */
function madeIn({ oracle }: World, { tx_hash }: RestoredRow): PayoutEntry[] {
  const { slots, attempts, payouts } = oracle.record
  const attempt = attempts.get(tx_hash)
  if (!attempt || attempt.cancels) return []
  return slots.get(attempt.slotId)?.payouts.flatMap((id) => payouts.get(id) ?? []) ?? []
}

/** An output was paid and a refund is ordered now, or the other way round; unless that payout is confirmed as well. */
async function isSettled(world: World, payoutId: string, found: readonly RestoredRow[]): Promise<boolean> {
  const now = world.oracle.record.payouts.get(payoutId)
  const other = { output: 'refund', refund: 'output' }[now?.kind ?? '']
  const by = found.find((row) =>
    madeIn(world, row).some(({ swapId, kind }) => swapId === now?.swapId && kind === other),
  )
  if (!by) return false
  const counted = await world.query<{ id: string }>(
    'select id from payout where swap_id = $1 and kind = $2 and made_in = $3',
    [now?.swapId, other, by.tx_hash],
  )
  return counted.length === 0
}

/**
 * The swap is known: the payout that the transaction made must be recognised first, and may not be ordered again yet.
 */
async function isExplained(world: World, row: RestoredRow): Promise<boolean> {
  for (const made of madeIn(world, row)) {
    if (made.kind === 'sweep' || made.swapId === null) continue
    const [open] = await world.query<{ id: string }>(
      `select id from swap where id = $1 and status in ('user_transfer_pending', 'expired', 'ls_transfer_pending', 'refund_pending')
       and exists (select from deposit where swap_id = swap.id and state in ('seen', 'confirmed')
         and (state = 'seen' or units > output_units + refund_units))`,
      [made.swapId],
    )
    if (open) return false
  }
  return true
}

/**
 * Another party has the key and nothing is missing: in this world the wallet is released. If coins are missing it stays
 * halted.
 */
async function releaseWallets(world: World): Promise<void> {
  const { database } = world.desk
  const differences = await listHaltDifferences(database)
  for (const { network, account, causes } of await listHalts(database)) {
    if (isRobbed(world, network)) continue
    const missing = differences.filter((row) => row.network === network && row.account === account)
    const accept = missing.map(({ token, units }) => `${token}=${units}`).join(',')
    const words = ['--hold', causes.map(({ id }) => id).join(','), ...(accept ? ['--accept', accept] : [])]
    await command(world, 'wallet', 'release', '--network', network, '--wallet', account, ...words)
  }
}

/** Its slot is final: an explorer shows whether it was made. */
async function answerUndone(world: World): Promise<void> {
  const held = await listHeld(world.desk.database, ALL)
  for (const payout of held) {
    const { id, network, undone, rejected_at } = payout
    if (undone === null || rejected_at !== null) continue
    const attempts = await world.query<{ hash: string }>(
      'select hash from attempt join slot_payout using (slot_id) where payout_id = $1 and not cancels',
      [id],
    )
    const isMade = attempts.some(({ hash }) => chainIn(world, network).find(hash)?.landed.reverted === false)
    await command(world, 'payout', isMade ? 'reject' : 'approve', ...named(payout))
  }
}

/** In this world promises are paid even at the operator's cost: the ledger must show the loss. */
async function answerLost(world: World): Promise<void> {
  const { database } = world.desk
  for (const payout of await listHeld(database, ALL)) {
    const { hold, rejected_at } = payout
    if (hold?.hold.code !== 'deposit_lost' || (await isApproved(database, hold.id))) continue
    if (rejected_at === null) await command(world, 'payout', 'approve', ...named(payout))
  }
}

/** The payout and the hold that was shown. */
function named({ id, hold }: HeldPayout): string[] {
  return ['--id', id, ...(hold ? ['--hold', hold.id] : [])]
}
