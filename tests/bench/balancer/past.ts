/** The state of a node some seconds ago: its height and its answers. */
import type { Question, Then } from './dialect.ts'

const LOOK_EVERY_MS = 250
/** No backend lags more than this. */
const KEPT_MS = 10_000
/** More distinct requests than this are not remembered. */
const MOST_QUESTIONS = 5_000

interface Dated<T> {
  atMs: number
  value: T
}

export interface Past {
  ago(ms: number): Then
  heard(question: Question, answer: unknown): void
  stop(): void
}

/** `height` is null if it cannot be read: then only answers are remembered. */
export async function rememberPast(height: (() => Promise<number>) | null): Promise<Past> {
  const heights: Dated<number>[] = []
  const answers = new Map<string, Dated<unknown>[]>()
  const look = async () => {
    // Dated before the request: the height was at least as high when it is used.
    const atMs = performance.now()
    if (height) keep(heights, { atMs, value: await height() })
  }
  await look()
  const timer = height ? setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS) : undefined
  return {
    ago(ms) {
      const then = performance.now() - ms
      return {
        height: (newestBefore(heights, then) ?? heights[0])?.value ?? 0,
        remembered(question) {
          const found = newestBefore(answers.get(keyOf(question)) ?? [], then)
          return found && found.atMs >= then - KEPT_MS ? found.value : undefined
        },
      }
    },
    heard(question, answer) {
      if (answer === undefined || answer === null) return
      if (answers.size > MOST_QUESTIONS) answers.clear()
      const known = answers.get(keyOf(question)) ?? []
      answers.set(keyOf(question), known)
      keep(known, { atMs: performance.now(), value: answer })
    },
    stop: () => clearInterval(timer),
  }
}

/** How recent an answer must be is not part of the request's identity. */
function keyOf({ method, params }: Question): string {
  return JSON.stringify([method, params], (name, value) => (name === 'minContextSlot' ? undefined : value))
}

function keep<T>(all: Dated<T>[], one: Dated<T>): void {
  all.push(one)
  while (all[1] && all[1].atMs < one.atMs - KEPT_MS) all.shift()
}

function newestBefore<T>(all: readonly Dated<T>[], atMs: number): Dated<T> | undefined {
  return all.findLast((one) => one.atMs <= atMs)
}
