/** `unmatched`: deposits without a swap, and the operator's decisions about them. */
import type { Queries } from '../../store/db/database.ts'
import { addJob } from '../../store/db/jobs.ts'
import {
  decideReturn,
  dropReturn,
  findUnmatched,
  listUnmatched,
  lockUnmatched,
  moreUnmatched,
  type ReturnDecision,
  readDeposit,
  readReturns,
  resolveUnmatched,
  takeUpIgnored,
} from '../../store/deposits/unmatched.ts'
import { type DepositRow, readSwap } from '../../store/swaps/swaps.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, ID, optional, TRANSACTION } from '../context/forms.ts'
import { declareCapital } from '../treasury/funding.ts'

const MOST = 500
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const unmatchedCommands: Record<string, Command> = {
  list: {
    usage: 'list [--transaction HASH]',
    help: 'Lists deposits that matched no swap and wait for a decision: what is worth most first, or the largest of each token where prices are not at hand. With --transaction those of one transaction, whatever was decided about them.',
    takes: { options: { transaction: optional(TRANSACTION) } },
    async run(desk, { values }) {
      const { transaction } = values
      const rows = transaction
        ? await findUnmatched(desk.database, transaction, MOST)
        : await listUnmatched(desk.database, MOST, desk.worth)
      if (rows.length === 0) return desk.print('there is no unmatched deposit')
      const returns = await readReturns(
        desk.database,
        rows.map(({ id }) => id),
      )
      table(
        desk,
        ['id', 'network', 'token', 'units', 'from', 'transaction', 'seen', 'state', 'goes to'],
        rows.map((row) => [
          row.id,
          row.network,
          row.token,
          amountAt(desk, row.network, row.token, row.units),
          row.from_address ?? '',
          row.tx_hash,
          row.seen_at.toISOString(),
          row.resolution ?? row.state,
          goesTo(returns.get(row.id)),
        ]),
      )
      const more = transaction ? '' : await moreUnmatched(desk.database, rows.length)
      if (more) desk.print(`and ${more}, of less: "unmatched list --transaction HASH" shows those of one transaction`)
    },
  },
  assign: {
    usage: 'assign --deposit ID --swap ID',
    help: 'Assigns a confirmed deposit to a swap of the same token; it then continues as if it had named it. Until it is carried out the last decision counts, this one or "refund". An ignored deposit can be assigned, too.',
    takes: { options: { deposit: ID, swap: ID } },
    async run(desk, { values }) {
      const deposit = await decidable(desk, needed(values, 'deposit'), ['ignored'])
      const { id: depositId } = deposit
      const swapId = needed(values, 'swap')
      const swap = UUID.test(swapId) ? await readSwap(desk.database, swapId) : null
      if (!swap) throw new UsageError(`there is no swap ${swapId}`)
      if (swap.row.archived_at) throw new UsageError(`the swap ${swapId} is archived: send the deposit back instead`)
      const { source_network: network, source_token: token } = swap.row
      if (network !== deposit.network || token !== deposit.token)
        throw new UsageError(`the swap ${swapId} is for another token: ${token} on ${network}`)
      await change(desk, 'deposit assigned', { depositId, swapId, ...described(desk, deposit) }, async (queries) => {
        await takeUpIgnored(queries, depositId)
        await holdOpen(queries, depositId)
        await decideReturn(queries, depositId, { swapId }, desk.now())
        await addJob(queries, { task: 'assign', payload: { depositId } })
      })
      desk.print(`${depositId} goes to ${swapId}`)
    },
  },
  refund: {
    usage: 'refund --deposit ID --to ADDRESS',
    help: 'Sends a confirmed deposit to an address of its network, less the gas, once it is final. Until then the address can be changed: the last one counts, and "list" shows it. An ignored deposit can be sent, too.',
    takes: { options: { deposit: ID, to: ADDRESS } },
    async run(desk, { values }) {
      const deposit = await decidable(desk, needed(values, 'deposit'), ['ignored'])
      const { id: depositId } = deposit
      const to = needed(values, 'to')
      const before = await change(
        desk,
        'deposit refunded',
        { depositId, to, ...described(desk, deposit) },
        async (queries) => {
          await takeUpIgnored(queries, depositId)
          await holdOpen(queries, depositId)
          const last = (await readReturns(queries, [depositId])).get(depositId)?.to_address ?? to
          await decideReturn(queries, depositId, { to }, desk.now())
          await addJob(queries, { task: 'sendBack', payload: { depositId } })
          return last
        },
      )
      desk.print(`${depositId} goes to ${to}${before === to ? '' : ` and not to ${before}`}`)
    },
  },
  capital: declareCapital,
  ignore: {
    usage: 'ignore --deposit ID',
    help: 'Keeps a deposit where it is and takes it off the list. "refund" and "assign" take it up again.',
    takes: { options: { deposit: ID } },
    async run(desk, { values }) {
      const deposit = await decidable(desk, needed(values, 'deposit'), [])
      const { id: depositId } = deposit
      await change(desk, 'deposit ignored', { depositId, ...described(desk, deposit) }, async (queries) => {
        await holdOpen(queries, depositId)
        await dropReturn(queries, depositId)
        await resolveUnmatched(queries, depositId, 'ignored', 0n)
      })
      desk.print(`${depositId} is off the list`)
    },
  },
}

/** A deposit in the audit log: what arrived, its value and its sender. */
function described(desk: CommandContext, { network, token, units, from_address: from }: DepositRow) {
  return { network, token, units: `${units}`, amount: amountAt(desk, network, token, units), from }
}

function goesTo(decision: ReturnDecision | undefined): string {
  if (!decision) return ''
  const place = decision.to_address ?? `swap ${decision.swap_id}`
  return decision.refused ? `not to ${place}: ${decision.refused}` : place
}

/** Locks the deposit, so that no earlier decision is carried out while this one is stored. */
async function holdOpen(queries: Queries, id: string): Promise<void> {
  if (!(await lockUnmatched(queries, id))) throw new UsageError(`something else was decided about the deposit ${id}`)
}

/** A deposit without a decision, or with one that may still be changed. Throws otherwise. */
async function decidable(desk: CommandContext, id: string, anew: readonly string[]): Promise<DepositRow> {
  const deposit = UUID.test(id) ? await readDeposit(desk.database, id) : null
  if (!deposit) throw new UsageError(`there is no deposit ${id}; "unmatched list" shows those that wait`)
  if (deposit.swap_id) throw new UsageError(`the deposit ${id} belongs to the swap ${deposit.swap_id}`)
  if (deposit.resolution && !anew.includes(deposit.resolution))
    throw new UsageError(`the deposit ${id} is ${deposit.resolution} already`)
  if (deposit.state !== 'confirmed') throw new UsageError(`the deposit ${id} is not confirmed yet`)
  return deposit
}
