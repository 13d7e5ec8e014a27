/** Shows the progress of a start: updated in place on a terminal, otherwise one line per finished step. */
import type { Progress } from './steps.ts'

export interface Screen {
  write(text: string): unknown
  isTTY?: boolean
}

const NAME_WIDTH = 16
const CLEAR_LINE = '\r\x1b[2K'

export function reportTo(screen: Screen): (progress: Progress) => void {
  return ({ step, state, detail, ms }) => {
    const name = step.padEnd(NAME_WIDTH)
    if (state === 'started') {
      if (screen.isTTY) screen.write(`  … ${name}`)
      return
    }
    // The reason of a failure is reported by the caller.
    const line = `  ${state === 'done' ? '✓' : '✗'} ${name} ${secondsOf(ms)}  ${state === 'done' ? detail : 'failed'}\n`
    screen.write(screen.isTTY ? CLEAR_LINE + line : line)
  }
}

export function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(6)
}
