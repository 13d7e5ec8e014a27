/** One line of the doctor's report. */
import { hideAddresses } from '../observe/log.ts'

/** `fail`: the service does not start, or money cannot move. `warn`: it works, and a person should look. */
type CheckState = 'ok' | 'warn' | 'fail'

export interface Check {
  name: string
  state: CheckState
  /** The finding. */
  detail: string
  /** The remedy; null if everything is in order. */
  fix: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail, fix: null })
export const warn = (name: string, detail: string, fix: string): Check => ({ name, state: 'warn', detail, fix })
export const fail = (name: string, detail: string, fix: string): Check => ({ name, state: 'fail', detail, fix })

/** An error's message without the addresses of nodes, which often contain a key. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return hideAddresses(text).replaceAll(/\s*\n\s*/g, '; ')
}

export function lineOf({ name, state, detail, fix }: Check): string {
  return `${state.padEnd(4)}  ${name}: ${detail}${fix === null ? '' : `. ${fix}`}`
}
