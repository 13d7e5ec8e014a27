/** `payout`: those that are held, and a person's answer to them. */
import { approvalText, signerOf } from '../../keys/approvals/approval.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { addApproval, newestAttempt } from '../../store/payouts/approvals.ts'
import { approvePayout, listHeld, readPayout, rejectPayout } from '../../store/payouts/payouts.ts'
import { wantCancel } from '../../store/payouts/slots.ts'
import { payAgain } from '../../store/payouts/undone.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  parseArguments,
  table,
  UsageError,
} from '../context/command-context.ts'

const MOST = 500

export const payoutCommands: Record<string, Command> = {
  held: {
    usage: 'held',
    help: 'Lists payouts that wait, and why: by a rule, by trouble, or undone after they had counted, with the evidence.',
    async run(desk, words) {
      parseArguments(words, [])
      const rows = await listHeld(desk.database, MOST)
      if (rows.length === 0) return desk.print('no payout is held')
      table(
        desk,
        ['id', 'swap', 'kind', 'network', 'units', 'to', 'since', 'by', 'reason'],
        rows.map((row) => [
          row.id,
          row.swap_id ?? '',
          row.kind,
          row.network,
          amountAt(desk, row.network, row.token, row.units),
          row.to_address,
          row.held_since?.toISOString() ?? '',
          row.held_by ?? '',
          row.held_reason ?? '',
        ]),
      )
    },
  },
  approve: {
    usage: 'approve --id PAYOUT_ID [--signature SIGNATURE]',
    help: 'Lets a payout go although it is above the threshold or a screened address is involved. One that was undone is paid again. With --signature of an approver (see "payout approval") a signer that demands one signs it too.',
    run: (desk, words) =>
      answer(desk, words, 'payout approved', async (queries, id, { signature }) => {
        if (signature !== undefined) return attachApproval(queries, id, signature, desk)
        return (await payAgain(queries, id)) ?? (await approvePayout(queries, id, desk.actor, desk.now()))
      }),
  },
  approval: {
    usage: 'approval --id PAYOUT_ID [--again yes]',
    help: 'Prints the text that an approver signs on a machine of their own ("npm run approver -- sign"). An approval is good for one slot: --again yes where it was used for another.',
    async run(desk, words) {
      const { values } = parseArguments(words, ['id', 'again'])
      const payout = await readPayout(desk.database, payoutId(values))
      if (!payout) throw new UsageError('there is no such payout; "payout held" lists those that wait')
      const newest = await newestAttempt(desk.database, payout.id)
      desk.print(textFor(payout, values.again === undefined ? Math.max(newest, 1) : newest + 1).trimEnd())
    },
  },
  reject: {
    usage: 'reject --id PAYOUT_ID [--as made|not-made]',
    help: 'Gives a payout up that was not begun, or once its slot is cancelled. The money of its swap goes back, that of a refund is owed until another address is given; a reward stays unpaid (see "campaign retry"). One that was undone counts as made. Where somebody has approved such a one since, --as says what is meant: it was made after all, or it was not and is given up.',
    run: (desk, words) =>
      answer(desk, words, 'payout rejected', async (queries, id, { as }) => {
        if (as !== undefined && as !== 'made' && as !== 'not-made') throw new UsageError('--as is made or not-made')
        const payout = await rejectPayout(queries, id, desk.now(), as ?? null)
        if (!payout && as === undefined) await refuseAmbiguous(queries, id)
        return payout
      }),
  },
  cancel: {
    usage: 'cancel --id PAYOUT_ID',
    help: 'Uses up the slot of a payout that is stuck, by a transaction that pays nobody. The payout gets another slot when that is final, unless you reject it meanwhile. Some networks know no such thing: there it says so, and what is stuck waits for its end.',
    run: (desk, words) =>
      answer(desk, words, 'payout cancelled', async (queries, id) => {
        const payout = await readPayout(queries, id)
        if (payout) await refuseWhereFinal(desk, payout)
        return (await wantCancel(queries, id, desk.now())) ? payout : null
      }),
  },
}

async function refuseAmbiguous(queries: Queries, id: string): Promise<void> {
  const payout = await readPayout(queries, id)
  if (payout?.state !== 'open' || payout.started || !payout.was_undone) return
  throw new UsageError(
    `the payout ${id} was undone, and somebody has approved that it is paid again: say --as made if it was made after all, --as not-made if it is to be given up`,
  )
}

/** Where a slot admits one transaction and no other, nobody can cancel. Without the service's settings the service tells. */
async function refuseWhereFinal({ chain }: CommandContext, { network }: PayoutRow): Promise<void> {
  const opened = await chain?.(network).catch(() => null)
  if (opened?.replacement !== 'none') return
  throw new UsageError(
    `nothing can be cancelled on ${network}: what was signed there is the only thing that its slot admits. It lands, or waits for its end.`,
  )
}

const MORE_WORDS: Readonly<Record<string, string[]>> = { 'payout approved': ['signature'], 'payout rejected': ['as'] }

async function answer(
  desk: CommandContext,
  words: string[],
  action: string,
  decide: (queries: Queries, id: string, values: Record<string, string | undefined>) => Promise<PayoutRow | null>,
): Promise<void> {
  const { values } = parseArguments(words, ['id', ...(MORE_WORDS[action] ?? [])])
  const id = payoutId(values)
  const { signature, as } = values
  const said = { id, ...(signature === undefined ? {} : { signature }), ...(as === undefined ? {} : { as }) }
  const { undone } = await change(desk, action, said, async (queries) => {
    const payout = await decide(queries, id, values)
    if (!payout) throw new UsageError(`the payout ${id} is not there, or does not wait any more`)
    await addJob(queries, { task: 'pay', payload: { payoutId: id }, lane: laneOf(payout.network, payout.account) })
    return payout
  })
  desk.print(`${action}: ${id}${undone ? ', which counts as made' : ''}`)
}

function payoutId(values: Record<string, string | undefined>): string {
  const id = needed(values, 'id')
  if (/^[0-9a-f-]{36}$/.test(id)) return id
  throw new UsageError(`${id} is no id of a payout; "payout held" lists those that wait`)
}

/** Stored for the signer, which alone knows whose signatures count; here only that it is one, of this payout. */
async function attachApproval(
  queries: Queries,
  id: string,
  signature: string,
  desk: CommandContext,
): Promise<PayoutRow | null> {
  const payout = await readPayout(queries, id)
  if (payout?.state !== 'open' || payout.rejected_at || payout.undone) return null
  const newest = await newestAttempt(queries, id)
  const attempts = newest === 0 ? [1] : [newest, newest + 1]
  const attempt = attempts.find((number) => signerOf(textFor(payout, number), signature) !== null)
  if (attempt === undefined)
    throw new UsageError('this is no signature of what "payout approval" prints for this payout')
  const approver = signerOf(textFor(payout, attempt), signature) ?? ''
  const isNew = await addApproval(queries, { payoutId: id, attempt, approver, signature, at: desk.now() })
  if (!isNew) throw new UsageError('this approver has signed for it already')
  return (await approvePayout(queries, id, desk.actor, desk.now())) ?? payout
}

function textFor({ id, network, token, units, to_address: to }: PayoutRow, attempt: number): string {
  const text = approvalText({ network, token, units, to, payout: id, attempt })
  if (text === null) throw new UsageError('this payout cannot be put into words that could be signed')
  return text
}
