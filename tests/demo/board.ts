/** Shows running swaps: one line each, updated in place, or appended if the terminal cannot do that. */
import { partsOf, type Scenario } from './plan.ts'

export interface Screen {
  write(text: string): unknown
  isTTY?: boolean
  rows?: number
  columns?: number
}

export interface Board {
  set(index: number, state: string): void
  /** Printed below the lines once nothing changes any more. */
  close(): void
}

const CLEAR_REST = '\x1b[0J'
/** Extra rows that a terminal needs. */
const SPARE_ROWS = 2

export function openBoard(screen: Screen, scenarios: readonly Scenario[]): Board {
  const began = performance.now()
  const titles = aligned(scenarios.map((scenario, index) => [numberOf(index), ...partsOf(scenario)]))
  const states = scenarios.map(() => 'waiting')
  const isLive = screen.isTTY === true && (screen.rows ?? 0) >= scenarios.length + SPARE_ROWS
  const lineOf = (index: number) => `${titles[index]}  ${states[index]}`
  // A line that wraps takes two rows, and the next redraw would be wrong.
  const draw = () =>
    screen.write(CLEAR_REST + titles.map((_, index) => `${lineOf(index).slice(0, screen.columns)}\n`).join(''))

  if (isLive) draw()
  return {
    set(index, state) {
      if (states[index] === state) return
      states[index] = state
      if (isLive) {
        screen.write(`\x1b[${titles.length}A\r`)
        draw()
      } else {
        const elapsed = `${((performance.now() - began) / 1000).toFixed(1)} s`
        screen.write(`${elapsed.padStart(7)}  ${lineOf(index)}\n`)
      }
    },
    close: () => void screen.write('\n'),
  }
}

export function numberOf(index: number): string {
  return String(index + 1).padStart(2)
}

/** Rows as lines with aligned cells. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map(({ length }) => length))
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
}
