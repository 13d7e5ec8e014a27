/** Tells a start step by step: in place on a terminal, one plain line for each finished step anywhere else. */
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
    // Why it failed is told by whoever gives up because of it.
    const line = `  ${state === 'done' ? '✓' : '✗'} ${name} ${secondsOf(ms)}  ${state === 'done' ? detail : 'failed'}\n`
    screen.write(screen.isTTY ? CLEAR_LINE + line : line)
  }
}

export function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(6)
}
