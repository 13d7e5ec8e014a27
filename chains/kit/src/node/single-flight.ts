/** Requests that are under way once: a caller that wants the same at the same time waits for the same answer. */
export type SingleFlight<T> = (key: string, request: () => Promise<T>) => Promise<T>

/** Nothing is kept when an answer or a failure has come: the next caller asks again. */
export function singleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, request) => {
    const running = underWay.get(key) ?? request().finally(() => underWay.delete(key))
    underWay.set(key, running)
    return running
  }
}
