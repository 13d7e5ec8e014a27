/**
 * A fair quota of open connections. Each client has a maximum. When all places are taken, a new client gets one from
 * the client that holds the most. So no client, whatever number of addresses it has, locks out the others.
 */
export interface ConnectionQuota<Place> {
  /**
   * Adds a connection; false if the client has its maximum already. `end` is called for the connection that must give
   * way.
   */
  take(client: string, most: number, place: Place): boolean
  leave(client: string, place: Place): void
  /** The number of connections of this client. */
  of(client: string): number
  all(): Iterable<Place>
}

export function createConnectionQuota<Place>(mostInAll: number, end: (place: Place) => void): ConnectionQuota<Place> {
  const byClient = new Map<string, Set<Place>>()
  let taken = 0

  function leave(client: string, place: Place): void {
    const places = byClient.get(client)
    if (!places?.delete(place)) return
    taken -= 1
    if (places.size === 0) byClient.delete(client)
  }

  /**
   * Takes only from a client that has more than the new one would then have: otherwise two clients would evict each
   * other for ever.
   */
  function makeRoom(has: number): boolean {
    const [greediest, places] = [...byClient].reduce((most, entry) => (entry[1].size > most[1].size ? entry : most))
    const [oldest] = places
    if (places.size <= has + 1 || oldest === undefined) return false
    leave(greediest, oldest)
    end(oldest)
    return true
  }

  return {
    take(client, most, place) {
      const has = byClient.get(client)?.size ?? 0
      if (has >= most || (taken >= mostInAll && !makeRoom(has))) return false
      const places = byClient.get(client) ?? new Set()
      byClient.set(client, places.add(place))
      taken += 1
      return true
    },
    leave,
    of: (client) => byClient.get(client)?.size ?? 0,
    all: () => [...byClient.values()].flatMap((places) => [...places]),
  }
}
