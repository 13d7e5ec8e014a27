/**
 * In which order addresses are read if the budget is too small for all. Groups of clients take turns: the swaps of one client, however
 * many, keep only its own group waiting. Inside a group new addresses and those that have waited longest alternate: with new ones first, a
 * client that makes enough swaps would keep the others of its group waiting.
 */
import type { Address } from '@causeway/core'

/**
 * A scan reads only the first few. So chance decides which groups and which kind begin: what strangers add, remove or were read last
 * cannot put an address behind for ever. New addresses keep the order of their list. `readAt`: when an address was read last; 0 before.
 * `random`: below 1.
 */
export function inTurns(
  groups: readonly (readonly Address[])[],
  readAt: (address: Address) => number,
  random: () => number,
): Address[] {
  return alternating(shuffled(groups, random).map((addresses) => queueOf(addresses, readAt, random)))
}

function queueOf(addresses: readonly Address[], readAt: (address: Address) => number, random: () => number): Address[] {
  const places = addresses.map((address) => ({ address, at: readAt(address) }))
  const fresh = places.filter(({ at }) => at === 0)
  const known = places.filter(({ at }) => at !== 0).toSorted((a, b) => a.at - b.at)
  return alternating(shuffled([fresh, known], random)).map(({ address }) => address)
}

/** The first of each list, then the second of each, and so on. */
function alternating<T>(lists: readonly (readonly T[])[]): T[] {
  const placed = lists.flatMap((list) => list.map((item, place) => ({ item, place })))
  return placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const drawn = items.map((item) => ({ item, place: random() }))
  return drawn.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}
