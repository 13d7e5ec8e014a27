/** Exports a list as CSV. Cells from outside are text, never a formula. */
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
