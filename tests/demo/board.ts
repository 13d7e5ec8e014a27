/** The running swaps before one's eyes: a line for each that changes in place, or appended lines where that cannot be. */
import type { Scenario } from './plan.ts'

export interface Screen {
  write(text: string): unknown
  isTTY?: boolean
  rows?: number
}

export interface Board {
  set(index: number, state: string): void
  /** Below the lines, once nothing changes any more. */
  close(): void
}

const CLEAR_REST = '\x1b[0J'
/** What a terminal needs besides the lines. */
const SPARE_ROWS = 2

export function openBoard(screen: Screen, scenarios: readonly Scenario[]): Board {
  const began = performance.now()
  const titles = scenarios.map(titleOf)
  const width = Math.max(...titles.map((title) => title.length))
  const states = scenarios.map(() => 'waiting')
  const isLive = screen.isTTY === true && (screen.rows ?? 0) >= scenarios.length + SPARE_ROWS
  const elapsed = () => `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(7)
  const lineOf = (index: number) => `${numberOf(index)}  ${(titles[index] ?? '').padEnd(width)}  ${states[index]}`
  const draw = () => screen.write(`${CLEAR_REST}${titles.map((_, index) => lineOf(index)).join('\n')}\n`)

  if (isLive) draw()
  return {
    set(index, state) {
      if (states[index] === state) return
      states[index] = state
      if (!isLive) {
        screen.write(`${elapsed()} ${lineOf(index)}\n`)
        return
      }
      screen.write(`\x1b[${titles.length}A\r`)
      draw()
    },
    close: () => void screen.write('\n'),
  }
}

export function numberOf(index: number): string {
  return String(index + 1).padStart(3)
}

export function titleOf({ source, destination, method, refuel, deposit }: Scenario): string {
  const route = `${source.token.symbol} ${source.network.name} → ${destination.token.symbol} ${destination.network.name}`
  const extras = [method, ...(refuel ? ['refuel'] : []), ...(deposit === 'as asked' ? [] : [`deposit: ${deposit}`])]
  return `${route}, ${extras.join(', ')}`
}
