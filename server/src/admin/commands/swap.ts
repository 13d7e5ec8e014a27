/** `swap`: one swap with its whole timeline, owed money, and its refund address. */
import { addJob } from '../../store/db/jobs.ts'
import { owedDeposits } from '../../store/deposits/owed-deposits.ts'
import { readShownHolds } from '../../store/payouts/holds.ts'
import { listOwed, readHistory } from '../../store/swaps/owed-refunds.ts'
import { insertNote } from '../../store/swaps/swap-timeline.ts'
import { lockSwap, readSwap, type SwapRecord, type SwapRow, saleIn } from '../../store/swaps/swaps.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, AMOUNT, ID, optional, TEXT, UNITS } from '../context/forms.ts'
import type { Given } from '../context/grammar.ts'
import { holdIn } from '../context/hold-ref.ts'
import { personOf } from '../context/identity.ts'
import { printTimeline } from '../context/timeline.ts'
import { commandTarget } from '../dual-control/command-target.ts'
import { needsSecondApproval } from '../dual-control/dual-control.ts'

const MOST = 500
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DECIMAL = /^\d+(\.\d+)?$/
const OWED = 'owed'
const REFUND = 'swap refund'
/** Maximum length of a note, as in the database. */
const MOST_NOTE = 1_000

export const swapCommands: Record<string, Command> = {
  show: {
    usage: 'show --id SWAP_ID',
    help: 'Shows a swap: its state, deposits, payouts, what happened to it, the transactions signed for it, what was booked, and what people noted.',
    takes: { options: { id: ID } },
    async run(desk, { values }) {
      await show(desk, await swapOf(desk, values))
      table(
        desk,
        ['at', 'event', 'status', 'data'],
        (await readHistory(desk.database, needed(values, 'id'))).map(({ at, type, status, data }) => [
          at.toISOString(),
          type,
          status,
          JSON.stringify(data),
        ]),
      )
      await printTimeline(desk, needed(values, 'id'))
    },
  },
  note: {
    usage: 'note --id SWAP_ID --text TEXT',
    help: 'Writes a note about a swap for later readers. Notes are never changed or removed.',
    takes: { options: { id: ID, text: TEXT } },
    async run(desk, { values }) {
      const { id } = (await swapOf(desk, values)).row
      const text = needed(values, 'text').trim()
      if (text === '' || text.length > MOST_NOTE) throw new UsageError(`a note has 1 to ${MOST_NOTE} characters`)
      const note = { swap_id: id, author: personOf(desk.actor), at: desk.now(), text }
      await change(desk, 'note added', { swapId: id, text }, (queries) => insertNote(queries, note))
      desk.print(`noted for the swap ${id}`)
    },
  },
  list: {
    usage: `list --${OWED}`,
    help: 'Lists swaps whose money is owed and not on its way, the oldest first; also those that wait beyond their window.',
    takes: { flags: [OWED] },
    async run(desk, { flags }) {
      if (!flags.has(OWED)) throw new UsageError(`--${OWED} is needed: only owed money is listed here`)
      const rows = await listOwed(desk.database, MOST, desk.now())
      if (rows.length === 0) return desk.print('nothing is owed')
      table(
        desk,
        ['id', 'status', 'reason', 'network', 'token', 'units', 'from', 'refund address', 'since'],
        rows.map((row) => [
          row.id,
          row.status,
          row.fail_reason ?? '',
          row.network,
          row.token,
          amountAt(desk, row.network, row.token, row.units),
          row.senders.map((sender) => sender ?? 'unknown').join(' '),
          row.refund_addresses.map((address) => address ?? 'none').join(' '),
          row.since.toISOString(),
        ]),
      )
      const left = Number(rows[0]?.total ?? 0) - rows.length
      if (left > 0) desk.print(`and ${left} newer ones, listed once these are settled`)
    },
  },
  refund: {
    usage: 'refund --id SWAP_ID --to ADDRESS [--fee AMOUNT]',
    help: 'Refunds what a swap owes now to an address of its source network, less the gas. --fee states the fee in whole tokens, for example if the token has no price. Later deposits are not included. The service checks the address; "swap show" shows the outcome.',
    takes: { options: { id: ID, to: ADDRESS, fee: optional(AMOUNT) } },
    async run(desk, given) {
      const { values } = given
      const { row } = await swapOf(desk, values)
      const to = needed(values, 'to').trim()
      const { fee } = values
      if (fee !== undefined && !DECIMAL.test(fee)) throw new UsageError(`--fee ${fee} is not an amount`)
      const { id } = row
      await change(
        desk,
        'refund address given',
        { swapId: id, to, fee, before: row.refund_address },
        async (queries) => {
          const record = await lockSwap(queries, id)
          const depositIds = record ? owedDeposits(record).map((deposit) => deposit.id) : []
          if (record && depositIds.length === 0) throw notOwed(desk, record)
          await asWeighed({ ...desk, database: queries }, given)
          const payload = { swapId: id, address: to, by: 'operator' as const, depositIds, signers: [], fee }
          await addJob(queries, { task: 'giveAddress', payload })
        },
      )
      desk.print(`what the swap ${id} is owed goes to ${to}`)
      if (fee === undefined) desk.print('it waits while the fee is unknown: then repeat this with --fee')
    },
  },
  proceeds: {
    usage: 'proceeds --id SWAP_ID --units BASE_UNITS',
    help: 'States what the sale of a deposit really brought, if a node had claimed more: see the hold excess_proceeds. The books are corrected, and what the sale pays for is ordered again. Nothing of it may have begun.',
    takes: { options: { id: ID, units: UNITS } },
    async run(desk, { values }) {
      const record = await swapOf(desk, values)
      const units = needed(values, 'units')
      const sale = saleIn(record)
      if (!sale?.received_units) throw new UsageError(`no sale of the swap ${record.row.id} has brought anything`)
      if (!/^\d+$/.test(units) || BigInt(units) <= 0n || BigInt(units) >= sale.received_units)
        throw new UsageError(`--units is a whole number below the ${sale.received_units} that are booked`)
      const payload = { swapId: record.row.id, units }
      const data = { ...payload, before: `${sale.received_units}` }
      await change(desk, 'proceeds corrected', data, (queries) => addJob(queries, { task: 'correctProceeds', payload }))
      desk.print(`the sale of the swap ${record.row.id} is booked with ${units}; "swap show" shows the outcome`)
    },
  },
}

/** The error if nothing is owed. Credited money of a swap that still waits is not owed yet: says what it waits for. */
function notOwed(desk: CommandContext, { row, deposits }: SwapRecord): UsageError {
  const credited = deposits.filter(({ state }) => state === 'confirmed')
  const units = credited.reduce((sum, deposit) => sum + deposit.units - deposit.output_units - deposit.refund_units, 0n)
  if (row.status !== 'user_transfer_pending' || units === 0n)
    return new UsageError(`nothing is owed for the swap ${row.id}, which is ${row.status}`)
  const amount = amountAt(desk, row.source_network, row.source_token, units)
  const end = row.expires_at.toISOString()
  return new UsageError(
    `the swap ${row.id} waits to be delivered: ${amount} of it are credited, and owed from ${end} on`,
  )
}

async function swapOf(desk: CommandContext, values: Given['values']): Promise<SwapRecord> {
  const id = needed(values, 'id')
  const record = UUID.test(id) ? await readSwap(desk.database, id) : null
  if (!record) throw new UsageError(`there is no swap ${id}; "swap list --${OWED}" shows those that are owed money`)
  return record
}

/**
 * Limits the command to the deposits whose value was computed: money that arrived after that, or after the first
 * person's request, is not included.
 */
async function asWeighed(desk: CommandContext, given: Given): Promise<void> {
  const seen = desk.seen ?? desk.alone?.seen
  const isMore =
    seen === undefined
      ? await needsSecondApproval(desk, REFUND, given)
      : (await commandTarget(desk, REFUND, given))?.seen !== seen
  if (isMore) throw new UsageError('the owed amount has changed: check it, and request it again')
}

/** The exchange whose output the swap is paid with, if the depositor makes it. */
function exchangeOf(desk: CommandContext, { user_exchange: exchange, source_network: network }: SwapRow) {
  if (!exchange) return []
  const { sells = '', inUnits = 0, minUnits = 0, buys = '', provider } = exchange
  const [sold, least] = [
    amountAt(desk, network, sells, BigInt(inUnits)),
    amountAt(desk, network, buys, BigInt(minUnits)),
  ]
  return [
    ['by an exchange', `of ${sold} on ${provider}, made by the depositor, for ${least} at least`] as [string, string],
  ]
}

async function show(desk: CommandContext, { row, deposits, payouts }: SwapRecord): Promise<void> {
  const holds = await readShownHolds(desk.database, payouts)
  const { source_network: network, source_token: token, requested_units: wanted } = row
  const asked = wanted === null ? 'whatever comes' : amountAt(desk, network, token, wanted)
  const facts: [string, string][] = [
    ['swap', `${row.id}, reference ${row.reference}`],
    ['status', row.fail_reason ? `${row.status}: ${row.fail_reason}` : row.status],
    ['from', `${row.source_network} ${row.source_token}, awaited at ${row.receiver}`],
    ['to', `${row.destination_network} ${row.destination_token}, paid to ${row.destination_address}`],
    ['asked', asked],
    ...exchangeOf(desk, row),
    ['source address', row.source_address ?? 'not named'],
    ['refund address', row.refund_address ?? 'not named'],
    ['made', row.created_at.toISOString()],
    ['window', row.expires_at.toISOString()],
    ...(row.archived_at ? [['archived', row.archived_at.toISOString()] as [string, string]] : []),
  ]
  for (const [name, value] of facts) desk.print(`${name.padEnd(15)} ${value}`)
  table(
    desk,
    ['deposit', 'state', 'units', 'delivered', 'given back', 'from', 'goes back to', 'transaction'],
    deposits.map((deposit) => [
      deposit.id,
      deposit.state,
      amountAt(desk, deposit.network, deposit.token, deposit.units),
      amountAt(desk, deposit.network, deposit.token, deposit.output_units),
      amountAt(desk, deposit.network, deposit.token, deposit.refund_units),
      deposit.from_address ?? 'unknown',
      deposit.refund_address ?? '',
      deposit.tx_hash,
    ]),
  )
  table(
    desk,
    ['payout', 'kind', 'state', 'units', 'to', 'transaction', 'held'],
    payouts.map((payout) => [
      payout.id,
      payout.kind,
      payout.refused ? `${payout.state}, refused` : payout.state,
      amountAt(desk, payout.network, payout.token, payout.units),
      payout.to_address,
      payout.tx_hash ?? '',
      holdIn(holds, payout.id),
    ]),
  )
}
