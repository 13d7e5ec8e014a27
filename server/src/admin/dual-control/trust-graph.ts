/**
 * Whether two names are two people. Nobody can tell by keys and passwords, of which one person may hold many; but each was let
 * in, or is known, by somebody. One person stands behind all whom nobody else reaches from the first two.
 */
import type { OperatorRow } from '../../store/operators/operators.ts'

type Person = Pick<OperatorRow, 'name' | 'is_founder'>
interface Vouch {
  operator: string
  voucher: string
}

/** The one who may be both of them; null where they are two. */
export function commonController(people: Person[], vouches: Vouch[], pair: [string, string]): string | null {
  const found = [...pair, ...people.map(({ name }) => name)].find((one) => {
    const others = reachedWithout(one, people, vouches)
    return pair.every((name) => !others.has(name))
  })
  return found ?? null
}

/** Whom the others know without this one, directly or by somebody whom they know. */
function reachedWithout(one: string, people: Person[], vouches: Vouch[]): Set<string> {
  const reached = new Set(people.filter(({ is_founder, name }) => is_founder && name !== one).map(({ name }) => name))
  // A set is walked to its end while it grows.
  for (const voucher of reached) {
    for (const vouch of vouches) if (vouch.voucher === voucher && vouch.operator !== one) reached.add(vouch.operator)
  }
  return reached
}
