/**
 * Equal reads at the same time share one. A call while one runs waits for the next one, which starts after the call: so an
 * answer is never older than its question.
 */
interface Running<Result> {
  now: Promise<Result>
  next: Promise<Result> | null
}

export function createSharedReads<Result>(): (key: string, read: () => Promise<Result>) => Promise<Result> {
  const running = new Map<string, Running<Result>>()

  function start(key: string, read: () => Promise<Result>): Promise<Result> {
    const entry: Running<Result> = { now: read(), next: null }
    running.set(key, entry)
    const end = () => {
      // The next one has taken its place if it has begun.
      if (running.get(key) === entry && !entry.next) running.delete(key)
    }
    entry.now.then(end, end)
    return entry.now
  }

  return (key, read) => {
    const entry = running.get(key)
    if (!entry) return start(key, read)
    const begin = () => start(key, read)
    entry.next ??= entry.now.then(begin, begin)
    return entry.next
  }
}
