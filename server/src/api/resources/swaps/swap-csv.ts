/** A list of swaps as a table for accounting: one line per swap, for callers that accept `text/csv`. */
import type { ListedSwap } from '@causeway/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toJson } from '../../http/json.ts'

export function wantsCsv({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/csv\b/.test(headers.accept ?? '')
}

export function sendCsv<Reply extends Pick<FastifyReply, 'type'>>(reply: Reply, rows: ListedSwap[]): Reply {
  const untyped: Pick<FastifyReply, 'type' | 'send'> = reply as Reply & FastifyReply
  untyped.type('text/csv; charset=utf-8').send(toCsv(rows))
  return reply
}

type Value = string | number | null

const COLUMNS: Record<string, (row: ListedSwap) => Value> = {
  id: ({ swap }) => swap.id,
  reference_id: ({ swap }) => swap.metadata.reference_id,
  status: ({ swap }) => swap.status,
  fail_reason: ({ swap }) => swap.fail_reason,
  created_date: ({ swap }) => swap.created_date,
  close_date: ({ swap }) => swap.close_date,
  source_network: ({ swap }) => swap.source_network.name,
  source_token: ({ swap }) => swap.source_token.symbol,
  requested_amount: ({ swap }) => swap.requested_amount,
  received_amount: ({ swap }) => swap.received_amount,
  total_fee: ({ quote }) => quote.total_fee,
  destination_network: ({ swap }) => swap.destination_network.name,
  destination_token: ({ swap }) => swap.destination_token.symbol,
  destination_address: ({ swap }) => swap.destination_address,
  delivered_amount: (row) => delivery(row)?.amount ?? null,
  input_transaction: ({ swap }) => hashOf(swap, 'input'),
  output_transaction: ({ swap }) => hashOf(swap, 'output'),
  refund_transaction: ({ swap }) => hashOf(swap, 'refund'),
}

/** A CSV text by RFC 4180, with a header line. */
function toCsv(rows: ListedSwap[]): string {
  const lines = rows.map((row) => Object.values(COLUMNS).map((read) => cellOf(read(row))))
  return [Object.keys(COLUMNS), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Text that a spreadsheet would run as a formula gets an apostrophe: references are the caller's own text. */
function cellOf(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'number') return toJson(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function delivery({ swap }: ListedSwap) {
  return swap.transactions.find(({ type, status }) => type === 'output' && status === 'completed')
}

/** The hash of the first transaction of this type; null if there is none. */
function hashOf({ transactions }: ListedSwap['swap'], wanted: string): string | null {
  return transactions.find(({ type }) => type === wanted)?.transaction_hash ?? null
}
