/** `--json` of every command: the same tables and lines, for programs. */
import type { CommandContext } from '../context/command-context.ts'

export interface JsonOutput {
  sinks: Pick<CommandContext, 'print' | 'table' | 'asked'>
  /** Everything that the command printed, as one JSON text. */
  text(): string
}

export function createJsonOutput(): JsonOutput {
  const rows: Record<string, string>[] = []
  const lines: string[] = []
  let request: string | null = null
  return {
    sinks: {
      print: (line) => void lines.push(line),
      table: (heads, cells) => {
        for (const row of cells) rows.push(Object.fromEntries(heads.map((head, column) => [head, row[column] ?? ''])))
      },
      asked: (id) => {
        request = id
      },
    },
    text: () => JSON.stringify({ rows, lines, request }, null, 2),
  }
}
