/** Coalesces identical requests in flight: a second caller with the same key waits for the first one's answer. */
export type SingleFlight<T> = (key: string, request: () => Promise<T>) => Promise<T>

/** Nothing is cached after an answer or a failure: the next caller asks again. */
export function singleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, request) => {
    const running = underWay.get(key) ?? request().finally(() => underWay.delete(key))
    underWay.set(key, running)
    return running
  }
}
