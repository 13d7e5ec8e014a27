/**
 * Places for what stays open, shared fairly: a client has at most its own number, and where all are taken whoever has the
 * fewest gets one of those who have the most. So nobody, with however many addresses, keeps the others out.
 */
export interface ConnectionQuota<Place> {
  /** False where the client has its share already. `end` is called for the place that somebody else must give up. */
  take(client: string, most: number, place: Place): boolean
  leave(client: string, place: Place): void
  /** How many this client has. */
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

  /** Only from somebody who has more than the client would have then: else two would take from each other for ever. */
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
