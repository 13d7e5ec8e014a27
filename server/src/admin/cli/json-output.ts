/** `--json` of every command: the same tables and lines, for programs. */
import type { CommandContext } from '../context/command-context.ts'

type Written = NonNullable<CommandContext['amount']>

export interface JsonOutput {
  sinks: Pick<CommandContext, 'print' | 'table' | 'asked'>
  /** Formats an amount, and adds its base units to the output. */
  amount(written: Written): Written
  /** Everything that the command printed, as one JSON text. */
  text(): string
}

export function createJsonOutput(): JsonOutput {
  const rows: Record<string, string>[] = []
  const lines: string[] = []
  const units: Record<string, string> = {}
  let request: string | null = null
  let sums: Record<string, string> | null = null
  return {
    sinks: {
      print: (line) => void lines.push(line),
      table: (heads, cells, total) => {
        const named = (row: string[]) => Object.fromEntries(heads.map((head, column) => [head, row[column] ?? '']))
        rows.push(...cells.map(named))
        if (total) sums = named(total)
      },
      asked: (id) => {
        request = id
      },
    },
    amount: (written) => (network, token, amount) => {
      const text = written(network, token, amount)
      units[text] = `${amount}`
      return text
    },
    text: () => JSON.stringify({ rows, ...(sums && { total: sums }), lines, request, units }, null, 2),
  }
}
