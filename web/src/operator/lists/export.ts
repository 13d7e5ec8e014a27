/** Exports a list as CSV. Cells from outside are text, never a formula. */
import type { ExplorerRow } from '@causeway/sdk/light'

const FORMULA = /^[=+@\t\r]|^-(?![\d.]+$)/

export function csvOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** The rows that are shown, for a spreadsheet. */
export function csvOfSwaps(rows: readonly ExplorerRow[]): string {
  const heads = ['id', 'created', 'status', 'source_network', 'source_token', 'requested_amount']
  const more = ['destination_network', 'destination_token', 'receive_amount', 'destination_address', 'reference']
  return csvOf(
    [...heads, ...more],
    rows.map(({ swap, quote }) => [
      ...[swap.id, swap.created_date, swap.status, swap.source_network.name, swap.source_token.symbol],
      ...[String(quote.requested_amount ?? ''), swap.destination_network.name, swap.destination_token.symbol],
      ...[String(quote.receive_amount ?? ''), swap.destination_address, swap.metadata.reference_id ?? ''],
    ]),
  )
}
