/**
 * Maps and sets for caches that must not grow forever: beyond `most` entries the oldest one is dropped. Age is the order of
 * insertion: to refresh an entry, delete it before setting it again.
 */

export function boundedMap<Key, Value>(most: number): Map<Key, Value> {
  return new BoundedMap(most)
}

export function boundedSet<Value>(most: number): Set<Value> {
  return new BoundedSet(most)
}

class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number
  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    super.set(key, value)
    if (this.size > this.#most) dropOldest(this)
    return this
  }
}

class BoundedSet<Value> extends Set<Value> {
  readonly #most: number
  constructor(most: number) {
    super()
    this.#most = most
  }

  override add(value: Value): this {
    super.add(value)
    if (this.size > this.#most) dropOldest(this)
    return this
  }
}

function dropOldest<Key>(entries: Map<Key, unknown> | Set<Key>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
