/**
 * Coalesces concurrent requests into one statement. A call while nothing runs is served at once; a call while one runs
 * waits for its end and goes together with all other waiting ones.
 */
import { type Database, isQueryError } from './database.ts'

/** The most requests per statement: a large statement must not delay others for long. */
const MOST = 100
/** Concurrent statements. One is enough, unless a statement itself may wait for a lock or a lost connection. */
const LANES = 4
const PATIENCE_MS = 10

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Wraps `run`, which returns results in the order of its items and does all of them or none. Each database has its own
 * set of lanes (concurrent statements).
 */
export function coalesce<Item, Result>(
  run: (database: Database, items: Item[]) => Promise<Result[]>,
): (database: Database, item: Item) => Promise<Result> {
  const queues = new WeakMap<Database, Queue<Item, Result>>()
  return (database, item) => {
    const queue = queues.get(database) ?? new Queue((items) => run(database, items))
    queues.set(database, queue)
    return queue.add(item)
  }
}

class Queue<Item, Result> {
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #patience: NodeJS.Timeout | null = null
  readonly #run: (items: Item[]) => Promise<Result[]>

  constructor(run: (items: Item[]) => Promise<Result[]>) {
    this.#run = run
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      // Waits one turn of the event loop, so that requests that arrive together share a statement.
      if (this.#waiting.length === 1) setImmediate(() => this.#start())
    })
  }

  #start(isImpatient = false): void {
    if (this.#waiting.length === 0 || this.#underWay >= LANES) return
    if (this.#underWay > 0 && !isImpatient) {
      this.#patience ??= setTimeout(() => {
        this.#patience = null
        this.#start(true)
      }, PATIENCE_MS)
      return
    }
    if (this.#patience) clearTimeout(this.#patience)
    this.#patience = null
    const together = this.#waiting.splice(0, MOST)
    this.#underWay++
    void this.#serve(together).finally(() => {
      this.#underWay--
      this.#start()
    })
    this.#start()
  }

  async #serve(together: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(together.map(({ item }) => item))
      for (const [n, { resolve }] of together.entries()) resolve(results[n] as Result)
    } catch (error) {
      // The database refused the statement and changed nothing. One item is at fault, so each is run alone and the
      // others succeed.
      const isOneToBlame = together.length > 1 && isQueryError(error)
      if (!isOneToBlame) for (const { reject } of together) reject(error)
      else for (const one of together) await this.#serve([one])
    }
  }
}
