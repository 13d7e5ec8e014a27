/**
 * The operator of a run: replays the journal after a restore, answers payouts that may have been made before, releases halted wallets, and
 * answers reorged payouts and lost deposits. It follows `docs/operate/restore.md` and knows what an explorer shows.
 */

import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { markResumed } from '../../../server/src/store/journal/journal-row.ts'
import { liveCounters } from '../../../server/src/store/journal/writers.ts'
import { listHaltDifferences, listHalts } from '../../../server/src/store/limits/halts.ts'
import { listSwitches } from '../../../server/src/store/limits/safeguards.ts'
import { type HeldPayout, isApproved, listHeld } from '../../../server/src/store/payouts/holds.ts'
import { readReorged } from '../../../server/src/store/payouts/reorged-payouts.ts'
import type { PayoutEntry } from '../oracle/commit-record.ts'
import { chainIn, isRobbed, type World } from '../world/world.ts'
import { command } from './admin-commands.ts'

/** More than ever exist at once here. */
const ALL = 10_000
/** Addresses that may have been given out since the backup: only a few in a run. */
const GAPS = ['--watch', '12']

/** The step that the service waits for while nothing is signed. */
export async function askedOf({ restoring }: World): Promise<World['restoring']> {
  return restoring
}

export async function attend(world: World): Promise<void> {
  // After a failover nothing is released or accepted before the journal was compared.
  if (world.isBehind) return
  if (world.restoring === 'journal') await restoreFromJournal(world)
  await answerDoubtful(world)
  await releaseWallets(world)
  await answerUndone(world)
  await answerLost(world)
}

/** Shows, stores and resumes, as docs/operate/restore.md says. */
export async function restoreFromJournal(world: World): Promise<void> {
  await command(world, 'restore')
  if (!(await command(world, 'restore', '--apply', ...GAPS, ...(await lostBranches(world))))) return
  // Once more changes nothing.
  if (world.random.chance(0.3)) await command(world, 'restore', '--apply', ...GAPS)
  if (await command(world, 'restore', '--resume', ...withoutNetworks(world))) await resumeSigning(world)
}

/** The payouts of before are then held, and answered in bulk. */
export async function restoreWithoutJournal(world: World): Promise<void> {
  await command(world, 'restore', '--without-journal')
  await command(world, 'restore', '--apply', ...GAPS, ...(await lostBranches(world)))
  if (await command(world, 'restore', '--resume', ...withoutNetworks(world))) await resumeSigning(world)
}

function withoutNetworks({ disasters: { leftOut } }: World): string[] {
  return leftOut === null ? [] : ['--without', leftOut]
}

/** The signing process does so when its counter beats. */
async function resumeSigning(world: World): Promise<void> {
  const { database } = world.desk
  await world.base.journal.restored(await liveCounters(database), 'operator')
  await markResumed(database)
  for (const { life } of world.processes) life.services.signing.stopped = null
  world.restoring = null
  await resumeScopes(world)
}

async function lostBranches(world: World): Promise<string[]> {
  const known = await world.query<{ branch: number }>('select branch from writer where branch is not null')
  const lost = world.branches.filter((branch) => !known.some((row) => row.branch === branch))
  return lost.length > 0 ? ['--branches', lost.join(',')] : []
}

/** A scope that was paused at the backup and resumed since is paused again. */
async function resumeScopes(world: World): Promise<void> {
  for (const { scope } of await listSwitches(world.desk.database)) {
    const isMeant = world.pauses.some((pause) => pause.scope === scope && pause.toMs > world.elapsedMs)
    if (!isMeant) await command(world, 'switch', 'resume', '--scope', scope)
  }
}

/** Payouts that may have been made before: by a file out and a file in. */
async function answerDoubtful(world: World): Promise<void> {
  const held = (await listHeld(world.desk.database, ALL)).filter(({ hold }) => hold?.hold.code === 'restore_doubt')
  if (held.length === 0) return
  const file = path.join(tmpdir(), `causeway-sim-${process.pid}-${world.seed}.tsv`)
  if (!(await command(world, 'restore', 'export', file))) return
  const lines = (await readFile(file, 'utf8')).split('\n')
  const hashes = lines.flatMap((line) => (line.startsWith('transaction\t') ? [line.split('\t')[3] ?? ''] : []))
  const answered = lines.map((line) => {
    const columns = line.split('\t')
    const id = columns[1] ?? ''
    if (columns[0] !== 'payout') return line
    const hash = hashes.find((one) => madeIn(world, one).some((made) => isSamePurpose(world, made, id)))
    const answer = hash ? `paid ${hash}` : isPaid(world, id) ? '?' : 'unpaid'
    return [...columns.slice(0, -1), answer].join('\t')
  })
  await writeFile(file, answered.join('\n'))
  await command(world, 'restore', 'import', file)
  await rm(file)
}

/** The payouts of a transaction, as known when it was signed. */
function madeIn({ oracle }: World, hash: string): PayoutEntry[] {
  const { slots, attempts, payouts } = oracle.record
  const attempt = attempts.get(hash)
  if (!attempt || attempt.cancels) return []
  return slots.get(attempt.slotId)?.payouts.flatMap((id) => payouts.get(id) ?? []) ?? []
}

function isSamePurpose({ oracle }: World, made: PayoutEntry, id: string): boolean {
  const wanted = oracle.record.payouts.get(id)
  return wanted !== undefined && oracle.purposeOf(made) === oracle.purposeOf(wanted)
}

/** Any landed transaction paid for the same, or settled the swap the other way. An explorer shows that. */
function isPaid(world: World, id: string): boolean {
  const { attempts, payouts } = world.oracle.record
  const wanted = payouts.get(id)
  const other = { output: 'refund', refund: 'output' }[wanted?.kind ?? '']
  return [...attempts.keys()].some((hash) =>
    madeIn(world, hash).some(
      (made) =>
        made.id !== id &&
        (isSamePurpose(world, made, id) || (wanted?.swapId && made.swapId === wanted.swapId && made.kind === other)) &&
        chainIn(world, made.network).find(hash)?.landed.reverted === false,
    ),
  )
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
    const { id, network, held_by } = payout
    if (held_by !== 'undone' || (await readReorged(world.desk.database, id))?.wasPaid) continue
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
