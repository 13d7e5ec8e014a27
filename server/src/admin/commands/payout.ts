/** `payout`: lists held payouts, and records an operator's answer to a hold. */
import { holdClass, PAYOUT_KINDS, PAYOUT_STATES } from '@causeway/core'
import { approvalText, signerOf } from '../../keys/approvals/approval.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { addApproval, newestAttempt } from '../../store/payouts/approvals.ts'
import { insertDecision, isApproved, listHeld, type OpenHold } from '../../store/payouts/holds.ts'
import { listPayouts, lockPayout, readPayout, rejectPayout } from '../../store/payouts/payouts.ts'
import { countPaid, payAgain, readReorged } from '../../store/payouts/reorged-payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  needed,
  record,
  table,
  UsageError,
} from '../context/command-context.ts'
import { ID, NETWORK, oneOf, optional, SIGNATURE, YES } from '../context/forms.ts'
import type { Given } from '../context/grammar.ts'
import { payoutHoldNamed, shownHold } from '../context/hold-ref.ts'
import { networkNamed } from '../context/wallet-ref.ts'

const MOST = 500
const MOST_LISTED = 100

export const payoutCommands: Record<string, Command> = {
  list: {
    usage: 'list [--kind KIND] [--network NAME] [--state open|confirmed|abandoned]',
    help: 'Lists payouts, the newest first: the open ones, or those of a kind (output, refund, reward, withdrawal and so on) in any state.',
    takes: {
      options: {
        kind: optional(oneOf(PAYOUT_KINDS)),
        network: optional(NETWORK),
        state: optional(oneOf(PAYOUT_STATES)),
      },
    },
    async run(desk, { values }) {
      const { kind, network, state } = values
      const wanted = {
        ...(kind === undefined ? {} : { kind: named(PAYOUT_KINDS, kind) }),
        ...(network === undefined ? {} : { network: (await networkNamed(desk.database, network)).name }),
        ...(state === undefined ? {} : { state: named(PAYOUT_STATES, state) }),
      }
      const isBare = kind === undefined && state === undefined
      const rows = await listPayouts(desk.database, isBare ? { ...wanted, state: 'open' } : wanted, MOST_LISTED)
      if (rows.length === 0) return desk.print('there is no such payout')
      table(
        desk,
        ['id', 'kind', 'swap', 'network', 'amount', 'to', 'state', 'ordered at', 'transaction'],
        rows.map((row) => [
          ...[row.id, row.kind, row.swap_id ?? '', row.network, amountAt(desk, row.network, row.token, row.units)],
          ...[row.to_address, stateOf(row), row.created_at.toISOString(), row.tx_hash ?? ''],
        ]),
      )
      if (rows.length === MOST_LISTED) desk.print(`only the newest ${MOST_LISTED} are shown`)
    },
  },
  held: {
    usage: 'held',
    help: 'Lists payouts that wait, and why: for a rule, for trouble, or because a reorg reverted them, with the evidence. "hold" is the id that approve and reject name.',
    takes: {},
    async run(desk) {
      const rows = await listHeld(desk.database, MOST)
      if (rows.length === 0) return desk.print('no payout is held')
      table(
        desk,
        ['id', 'swap', 'kind', 'network', 'units', 'to', 'since', 'by', 'hold', 'code', 'reason'],
        rows.map((row) => [
          row.id,
          row.swap_id ?? '',
          row.kind,
          row.network,
          amountAt(desk, row.network, row.token, row.units),
          row.to_address,
          row.held_since?.toISOString() ?? '',
          row.held_by ?? '',
          row.hold?.id ?? '',
          row.hold?.hold.code ?? '',
          row.hold ? shownHold(row.hold) : '',
        ]),
      )
    },
  },
  approve: {
    usage: 'approve --id PAYOUT_ID --hold HOLD_ID [--signature SIGNATURE]',
    help: 'Removes the objection of one hold, as "payout held" shows it: above the threshold, a screened address, a lost deposit. A reorged payout is paid again. With --signature of an approver (see "payout approval") a signer that demands one signs it too.',
    takes: { options: { id: ID, hold: optional(ID), signature: optional(SIGNATURE) } },
    run: (desk, given) => answer(desk, given, 'approve', approve),
  },
  approval: {
    usage: 'approval --id PAYOUT_ID [--again yes]',
    help: 'Prints the text that an approver signs on a machine of their own ("npm run approver -- sign"). An approval is good for one slot: --again yes where it was used for another.',
    takes: { options: { id: ID, again: optional(YES) } },
    async run(desk, { values }) {
      const payout = await readPayout(desk.database, payoutId(values))
      if (!payout) throw new UsageError('there is no such payout; "payout held" lists those that wait')
      const newest = await newestAttempt(desk.database, payout.id)
      desk.print(textFor(payout, values.again === undefined ? Math.max(newest, 1) : newest + 1).trimEnd())
    },
  },
  reject: {
    usage: 'reject --id PAYOUT_ID [--hold HOLD_ID] [--as made|not-made]',
    help: 'Gives a payout up that was not begun, or once its slot is cancelled. --hold names what holds it; leave it out only if nothing does. The money of its swap goes back, that of a refund is owed until another address is given; a reward stays unpaid (see "campaign retry"). A reorged payout counts as made. If such a payout was approved since, --as says what is meant: it was made after all, or it was not and is given up.',
    takes: { options: { id: ID, hold: optional(ID), as: optional(oneOf(['made', 'not-made'])) } },
    run: (desk, given) => answer(desk, given, 'reject', reject),
  },
  cancel: {
    usage: 'cancel --id PAYOUT_ID',
    help: 'Cancels the slot of a stuck payout by a transaction that pays no one. When that is final the payout gets another slot, unless you reject it meanwhile. On networks without cancellation it says so, and the transaction waits for its expiry.',
    takes: { options: { id: ID } },
    run: (desk, given) => answer(desk, given, 'cancel', cancel),
  },
}

type Values = Record<string, string | undefined>

/** One of these words: the grammar accepts no other. */
function named<Word extends string>(words: readonly Word[], text: string): Word {
  const word = words.find((each) => each === text)
  if (word === undefined) throw new UsageError(`one of ${words.join(', ')} is needed`)
  return word
}

function stateOf({ state, started, sent_at, held_by }: PayoutRow): string {
  if (state !== 'open') return state
  if (held_by !== null) return 'held'
  return sent_at !== null && started ? 'sent' : 'open'
}

/** The input of a decision: the locked payout, and the hold that the operator named. */
interface Question {
  desk: CommandContext
  queries: Queries
  payout: PayoutRow
  hold: OpenHold | null
  values: Values
}

async function approve({ desk, queries, payout, hold, values }: Question): Promise<PayoutRow | null> {
  if (values.signature !== undefined) await attachApproval(queries, payout, values.signature, desk)
  else if (hold === null)
    throw new UsageError(`nothing holds the payout ${payout.id}: it does not wait for an approval`)
  if (hold === null) return payout
  const decision = { by: desk.actor, requestId: desk.requestId, at: desk.now() }
  if (hold.hold.code === 'payout_reorged') return payAgain(queries, payout.id, decision)
  if (hold.hold.code === 'restore_doubt')
    throw new UsageError('it may have been paid before a restore: decide with "restore export" and "restore import"')
  if (!holdClass(hold.hold).isApprovable) {
    if (values.signature !== undefined) return payout
    throw new UsageError(`an approval does not lift this hold: ${shownHold(hold)}`)
  }
  if (payout.state !== 'open' || payout.rejected_at || payout.held_by === 'undone') return null
  if (await isApproved(queries, hold.id)) throw new UsageError(`the hold ${hold.id} is approved already`)
  await insertDecision(queries, { ...decision, on: { holdId: hold.id }, answer: 'approve' })
  return payout
}

async function reject({ desk, queries, payout, hold, values }: Question): Promise<PayoutRow | null> {
  const { as } = values
  if (as !== undefined && as !== 'made' && as !== 'not-made') throw new UsageError('--as is made or not-made')
  const decision = { by: desk.actor, requestId: desk.requestId, at: desk.now() }
  const reorged = await readReorged(queries, payout.id)
  const canBeMade = reorged !== null && !payout.started
  if (canBeMade && reorged.isAnswered && as === undefined) throw new UsageError(ambiguous(payout.id))
  if (as === 'made' ? !canBeMade : as === 'not-made' && !reorged?.isAnswered) return null
  if (canBeMade && as !== 'not-made') return countPaid(queries, payout.id, decision)
  const slot = await liveSlot(queries, payout.id)
  const rejected = await rejectPayout(queries, payout.id, desk.now())
  const on = hold ? { holdId: hold.id } : slot && { slotId: slot.slot.id, attempts: slot.attempts.length }
  if (rejected && on) await insertDecision(queries, { ...decision, on, answer: 'reject' })
  return rejected
}

function ambiguous(id: string): string {
  return `the payout ${id} was undone and its repayment is approved: say --as made if it was made after all, --as not-made to give it up`
}

async function cancel({ desk, queries, payout }: Question): Promise<PayoutRow | null> {
  await refuseWhereFinal(desk, payout)
  const live = await liveSlot(queries, payout.id)
  if (live?.slot.state !== 'open' || payout.state !== 'open') return null
  const on = { slotId: live.slot.id, attempts: live.attempts.length }
  await insertDecision(queries, { on, answer: 'cancel', by: desk.actor, requestId: desk.requestId, at: desk.now() })
  return payout
}

/**
 * Throws if the network's slots accept only one transaction, because such a slot cannot be cancelled. Without the
 * service's settings the service itself reports it later.
 */
async function refuseWhereFinal({ chain }: CommandContext, { network }: PayoutRow): Promise<void> {
  const opened = await chain?.(network).catch(() => null)
  if (opened?.replacement !== 'none') return
  throw new UsageError(
    `nothing can be cancelled on ${network}: what was signed there is the only thing that its slot admits. It lands, or waits for its end.`,
  )
}

/** Per command: its name in the audit log, and its options. */
const ANSWERS = {
  approve: { action: 'payout approved', options: ['hold', 'signature'] },
  reject: { action: 'payout rejected', options: ['hold', 'as'] },
  cancel: { action: 'payout cancelled', options: [] },
}

async function answer(
  desk: CommandContext,
  { values }: Given,
  verb: keyof typeof ANSWERS,
  decide: (question: Question) => Promise<PayoutRow | null>,
): Promise<void> {
  const { action, options } = ANSWERS[verb]
  const id = payoutId(values)
  const given = options.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]))
  const { held_by } = await desk.database.transaction().execute(async (queries) => {
    // Locks the payout before its hold: the service locks in this order too.
    const locked = await lockPayout(queries, id)
    const hold = locked && verb !== 'cancel' ? await payoutHoldNamed(queries, `payout ${verb}`, id, values.hold) : null
    const payout = locked && (await decide({ desk, queries, payout: locked, hold, values }))
    if (!payout) throw new UsageError(`the payout ${id} is not there, or does not wait any more`)
    await addJob(queries, { task: 'pay', payload: { payoutId: id }, lane: laneOf(payout.network, payout.account) })
    await record(desk, queries, action, { id, ...Object.fromEntries(given), ...described(desk, payout) })
    return payout
  })
  desk.print(`${action}: ${id}${held_by === 'undone' ? ', which counts as made' : ''}`)
}

/** A payout in the audit log: what is sent, its value and its recipient. */
function described(desk: CommandContext, { kind, network, token, units, to_address: to }: PayoutRow) {
  return { kind, network, token, units: `${units}`, amount: amountAt(desk, network, token, units), to }
}

function payoutId(values: Record<string, string | undefined>): string {
  const id = needed(values, 'id')
  if (/^[0-9a-f-]{36}$/.test(id)) return id
  throw new UsageError(`${id} is no id of a payout; "payout held" lists those that wait`)
}

/**
 * Stores an approval for the signer, which alone knows whose signatures count. Checks here only that it is a signature
 * of this payout's text.
 */
async function attachApproval(
  queries: Queries,
  payout: PayoutRow,
  signature: string,
  desk: CommandContext,
): Promise<void> {
  const { id } = payout
  if (payout.state !== 'open' || payout.rejected_at || payout.held_by === 'undone')
    throw new UsageError(`the payout ${id} is not there, or does not wait any more`)
  const newest = await newestAttempt(queries, id)
  const attempts = newest === 0 ? [1] : [newest, newest + 1]
  const attempt = attempts.find((number) => signerOf(textFor(payout, number), signature) !== null)
  if (attempt === undefined)
    throw new UsageError('this is no signature of what "payout approval" prints for this payout')
  const approver = signerOf(textFor(payout, attempt), signature) ?? ''
  const isNew = await addApproval(queries, { payoutId: id, attempt, approver, signature, at: desk.now() })
  if (!isNew) throw new UsageError('this approver has signed for it already')
}

function textFor({ id, network, token, units, to_address: to }: PayoutRow, attempt: number): string {
  const text = approvalText({ network, token, units, to, payout: id, attempt })
  if (text === null) throw new UsageError('this payout cannot be put into words that could be signed')
  return text
}
