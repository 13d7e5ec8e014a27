/** The steps of a start: each is timed and reported, and everything that was started can be stopped again. */

export interface Progress {
  step: string
  state: 'started' | 'done' | 'failed'
  detail: string
  ms: number
}

/** A failed step. Its message is printed as it is. */
export class SandboxError extends Error {
  override name = 'SandboxError'
  readonly step: string
  constructor(step: string, reason: string, cause?: unknown) {
    super(`${step}: ${reason}`, { cause })
    this.step = step
  }
}

export interface Steps {
  /** Runs a step; `tell` summarises the result. */
  run<T>(step: string, work: () => Promise<T>, tell: (result: T) => string): Promise<T>
  /** Adds a cleanup; the last one added runs first. */
  atEnd(undo: () => Promise<void>): void
  /** Runs all cleanups, once, even if some fail. */
  end(): Promise<void>
}

/** Timeout of a cleanup: anything that does not stop within this time is abandoned. */
const UNDO_TIMEOUT_MS = 15_000

export function createSteps(onProgress: (progress: Progress) => void, signal?: AbortSignal): Steps {
  const undos: (() => Promise<void>)[] = []
  let ended: Promise<void> | null = null
  const goDown = async () => {
    for (const undo of undos.reverse()) await Promise.race([undo(), patience()]).catch(() => undefined)
  }
  return {
    async run(step, work, tell) {
      if (signal?.aborted) throw new SandboxError(step, 'told to stop')
      const began = performance.now()
      const report = (state: Progress['state'], detail: string) =>
        onProgress({ step, state, detail, ms: performance.now() - began })
      report('started', '')
      try {
        const result = await work()
        report('done', tell(result))
        return result
      } catch (error) {
        const reason = reasonOf(error)
        report('failed', reason)
        throw error instanceof SandboxError ? error : new SandboxError(step, reason, error)
      }
    },
    atEnd: (undo) => void undos.push(undo),
    end: () => (ended ??= goDown()),
  }
}

function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, UNDO_TIMEOUT_MS).unref())
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? 'ended without a reason' : String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error.message + cause
}
