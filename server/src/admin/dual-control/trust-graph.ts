/**
 * Web of trust: whether two names are two people. Keys and passwords cannot prove it, since one person may hold many.
 * But each operator was added or vouched for by others. A person controls everyone who is reachable from the first two
 * operators only through that person.
 */
import type { OperatorRow } from '../../store/operators/operators.ts'

type Person = Pick<OperatorRow, 'name' | 'is_founder'>
interface Vouch {
  operator: string
  voucher: string
}

/** The person who may control both; null if they are two people. */
export function commonController(people: Person[], vouches: Vouch[], pair: [string, string]): string | null {
  const found = [...pair, ...people.map(({ name }) => name)].find((one) => {
    const others = reachedWithout(one, people, vouches)
    return pair.every((name) => !others.has(name))
  })
  return found ?? null
}

/** People who are reachable from the first operators without this person, directly or indirectly. */
function reachedWithout(one: string, people: Person[], vouches: Vouch[]): Set<string> {
  const reached = new Set(people.filter(({ is_founder, name }) => is_founder && name !== one).map(({ name }) => name))
  // Iterating a Set also visits entries that are added meanwhile.
  for (const voucher of reached) {
    for (const vouch of vouches) if (vouch.voucher === voucher && vouch.operator !== one) reached.add(vouch.operator)
  }
  return reached
}
