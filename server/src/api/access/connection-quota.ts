/**
 * A fair quota of open connections. Each client has a maximum, and so have the IPv6 networks above it, as for requests. When all
 * places are taken, a new client gets one from the holder of the most: a client, or the IPv6 /48 that clients share. So no client,
 * whatever number of addresses it has, locks out the others.
 */
import { networksAbove } from './rate-limit.ts'

export interface ConnectionQuota<Place> {
  /**
   * Adds a connection; false if the client or its network has its maximum already. `end` is called for the connection that
   * must give way.
   */
  take(client: string, most: number, place: Place): boolean
  leave(client: string, place: Place): void
  /** The number of connections of this client. */
  of(client: string): number
  all(): Iterable<Place>
}

export function createConnectionQuota<Place>(mostInAll: number, end: (place: Place) => void): ConnectionQuota<Place> {
  /** Places with their clients, oldest first, by the holder. */
  const byHolder = new Map<string, Map<Place, string>>()
  /** By client and by network. */
  const counts = new Map<string, number>()
  let taken = 0

  const holderOf = (client: string) => networksAbove(client).at(-1)?.name ?? client
  const of = (name: string) => counts.get(name) ?? 0

  function count(client: string, more: 1 | -1): void {
    taken += more
    for (const name of [client, ...networksAbove(client).map((network) => network.name)]) {
      const now = of(name) + more
      if (now === 0) counts.delete(name)
      else counts.set(name, now)
    }
  }

  function leave(client: string, place: Place): void {
    const holder = holderOf(client)
    const places = byHolder.get(holder)
    if (!places?.delete(place)) return
    count(client, -1)
    if (places.size === 0) byHolder.delete(holder)
  }

  /**
   * Takes only from a holder that has more than the new one would then have: otherwise two would evict each other for
   * ever.
   */
  function makeRoom(has: number): boolean {
    const places = [...byHolder.values()].reduce((most, other) => (other.size > most.size ? other : most))
    const [oldest] = places
    if (places.size <= has + 1 || oldest === undefined) return false
    const [place, client] = oldest
    leave(client, place)
    end(place)
    return true
  }

  return {
    take(client, most, place) {
      const networks = networksAbove(client)
      if (of(client) >= most || networks.some(({ name, limits }) => of(name) >= most * limits)) return false
      const holder = holderOf(client)
      if (taken >= mostInAll && !makeRoom(byHolder.get(holder)?.size ?? 0)) return false
      const places = byHolder.get(holder) ?? new Map<Place, string>()
      byHolder.set(holder, places.set(place, client))
      count(client, 1)
      return true
    },
    leave,
    of,
    all: () => [...byHolder.values()].flatMap((places) => [...places.keys()]),
  }
}
