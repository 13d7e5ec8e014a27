/** `unmatched`: deposits that named no swap, and what a person decides about them. */
import { addJob } from '../store/jobs.ts'
import { readSwap } from '../store/swaps.ts'
import { listUnmatched, readDeposit, resolveUnmatched } from '../store/unmatched.ts'
import { amountAt, type Command, change, type Desk, needed, parseWords, table, UsageError } from './desk.ts'

const MOST = 500
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const unmatchedCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists deposits that matched no swap and wait for a decision.',
    async run(desk, words) {
      parseWords(words, [])
      const rows = await listUnmatched(desk.database, MOST)
      if (rows.length === 0) return desk.print('there is no unmatched deposit')
      table(
        desk,
        ['id', 'network', 'token', 'units', 'from', 'transaction', 'seen', 'state'],
        rows.map((row) => [
          row.id,
          row.network,
          row.token,
          amountAt(desk, row.network, row.token, row.units),
          row.from_address ?? '',
          row.tx_hash,
          row.seen_at.toISOString(),
          row.state,
        ]),
      )
    },
  },
  assign: {
    usage: 'assign --deposit ID --swap ID',
    help: 'Gives a confirmed deposit to a swap of the same token; it then goes on as if it had named it.',
    async run(desk, words) {
      const { values } = parseWords(words, ['deposit', 'swap'])
      const depositId = await waiting(desk, needed(values, 'deposit'))
      const swapId = needed(values, 'swap')
      if (!UUID.test(swapId) || !(await readSwap(desk.database, swapId)))
        throw new UsageError(`there is no swap ${swapId}`)
      await change(desk, 'deposit assigned', { depositId, swapId }, (queries) =>
        addJob(queries, { task: 'assign', payload: { depositId, swapId } }),
      )
      desk.print(`${depositId} goes to ${swapId}`)
    },
  },
  refund: {
    usage: 'refund --deposit ID --to ADDRESS',
    help: 'Sends a confirmed deposit to an address of its network, less the gas.',
    async run(desk, words) {
      const { values } = parseWords(words, ['deposit', 'to'])
      const depositId = await waiting(desk, needed(values, 'deposit'))
      const to = needed(values, 'to')
      await change(desk, 'deposit refunded', { depositId, to }, (queries) =>
        addJob(queries, { task: 'sendBack', payload: { depositId, to } }),
      )
      desk.print(`${depositId} goes to ${to}`)
    },
  },
  ignore: {
    usage: 'ignore --deposit ID',
    help: 'Keeps a deposit where it is and takes it off the list.',
    async run(desk, words) {
      const depositId = await waiting(desk, needed(parseWords(words, ['deposit']).values, 'deposit'))
      await change(desk, 'deposit ignored', { depositId }, (queries) =>
        resolveUnmatched(queries, depositId, 'ignored', 0n),
      )
      desk.print(`${depositId} is off the list`)
    },
  },
}

async function waiting(desk: Desk, id: string): Promise<string> {
  const deposit = UUID.test(id) ? await readDeposit(desk.database, id) : null
  if (!deposit) throw new UsageError(`there is no deposit ${id}; "unmatched list" shows those that wait`)
  if (deposit.swap_id) throw new UsageError(`the deposit ${id} belongs to the swap ${deposit.swap_id}`)
  if (deposit.resolution) throw new UsageError(`the deposit ${id} is ${deposit.resolution} already`)
  if (deposit.state !== 'confirmed') throw new UsageError(`the deposit ${id} is not confirmed yet`)
  return id
}
