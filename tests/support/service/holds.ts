/** The holds of payouts and wallets, and answers to them, for tests. */
import { describeHold, type PayoutHold, type WalletHold } from '@causeway/core'
import type { Screener } from '../../../server/src/screening/screener.ts'
import type { Queries } from '../../../server/src/store/db/database.ts'
import { listHalts } from '../../../server/src/store/limits/halts.ts'
import { holdPayout, insertDecision, readOpenHold } from '../../../server/src/store/payouts/holds.ts'
import { liveSlot } from '../../../server/src/store/payouts/slot-records.ts'

/** Null if nothing holds it. */
export async function holdOf(queries: Queries, payoutId: string): Promise<PayoutHold | null> {
  return (await readOpenHold(queries, payoutId))?.hold ?? null
}

/** The same as text for people. */
export async function reasonOf(queries: Queries, payoutId: string): Promise<string | null> {
  const open = await readOpenHold(queries, payoutId)
  return open && describeHold(open.hold, open.detail)
}

/** Its id, as operators name it. */
export async function holdIdOf(queries: Queries, payoutId: string): Promise<string> {
  return (await readOpenHold(queries, payoutId))?.id ?? 'nothing'
}

/** The arguments of an answer: the payout and its hold. */
export async function holdWords(queries: Queries, payoutId: string): Promise<string[]> {
  const open = await readOpenHold(queries, payoutId)
  return ['--id', payoutId, ...(open ? ['--hold', open.id] : [])]
}

/** Approves the present hold. */
async function approveHold(queries: Queries, payoutId: string, at: Date): Promise<void> {
  await insertDecision(queries, { on: { holdId: await holdIdOf(queries, payoutId) }, answer: 'approve', by: 'ada', at })
}

/** The payout was approved before and nothing holds it any more: its first transaction failed. */
export async function approveBefore(queries: Queries, payoutId: string, now: Date): Promise<void> {
  await holdPayout(queries, payoutId, { hold: { code: 'approval_needed', usd: `${10n ** 40n}` }, now })
  await approveHold(queries, payoutId, now)
  await queries.updateTable('payout').set({ held_by: null, held_since: null }).where('id', '=', payoutId).execute()
}

/** The causes of each halted wallet. */
export async function haltCauses(queries: Queries): Promise<WalletHold[][]> {
  return (await listHalts(queries)).map(({ causes }) => causes.map(({ hold }) => hold))
}

/** The arguments that release this wallet from all its causes. */
export async function releaseWords(queries: Queries, network: string, account: string): Promise<string[]> {
  const halt = (await listHalts(queries)).find((one) => one.network === network && one.account === account)
  const ids = halt?.causes.map(({ id }) => id).join(',') ?? ''
  return ['--network', network, '--wallet', account, ...(ids ? ['--hold', ids] : [])]
}

/** An operator decides to cancel the slot of this payout. */
export async function cancelSlotOf(database: Queries, payoutId: string, at: Date): Promise<void> {
  const live = await liveSlot(database, payoutId)
  if (!live) throw new Error('the payout has no slot')
  const on = { slotId: live.slot.id, attempts: live.attempts.length }
  await insertDecision(database, { on, answer: 'cancel', by: 'test', at })
}

/** A deny list whose entries a test can change. `reasonOf`: why an address is listed; null if it is not. */
export function screenerBy(reasonOf: (address: string) => string | null): Screener {
  return {
    name: 'list',
    async screen(suspects) {
      for (const suspect of suspects) {
        const reason = reasonOf(suspect.address)
        if (reason !== null) return { ...suspect, reason }
      }
      return null
    },
  }
}
