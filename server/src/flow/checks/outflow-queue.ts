/**
 * The order of payouts that wait for an outflow limit: the one that was ordered first goes first, whatever it is worth.
 * Otherwise small payouts would use the limit up again and again, and a larger one would never fit.
 */
import type { Usd } from '@causeway/core'
import { budgetsLeft, budgetsOf, type Rules, tokenBudgetsOf, wholeBudgets } from '../../market/safeguards.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { heldForOutflow } from '../../store/payouts/held-payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/** The dollars of each limit that the payouts before this one need. */
export type OutflowQueue = (payout: PayoutRow) => ReadonlyMap<string, Usd>

export async function readOutflowQueue(
  { catalogue }: Services,
  queries: Queries,
  rules: Rules,
  worthOf: (payout: PayoutRow) => Usd | null,
  networks: readonly string[],
): Promise<OutflowQueue> {
  const [whole, left] = [wholeBudgets(rules), budgetsLeft(rules)]
  const waiting = whole.size === 0 ? [] : await heldForOutflow(queries, networks)
  return (payout) => {
    const ahead = new Map<string, Usd>()
    for (const one of waiting.filter((other) => isBefore(other, payout))) {
      const token = catalogue.token(one.network, one.token)
      const names = budgetsOf(token, one.kind).filter((name) => whole.has(name))
      const worth = worthOf(one)
      // Above a whole limit it waits for an operator, and no other payout waits for it.
      if (worth === null || names.some((name) => worth > (whole.get(name) ?? 0n))) continue
      const isShort = (name: string) => worth > (left.get(name) ?? 0n) - (ahead.get(name) ?? 0n)
      const ofToken = tokenBudgetsOf(token, one.kind).filter((name) => whole.has(name))
      // While the limit of its token stops it, it needs nothing of its network's, or one token would hold all others.
      for (const name of ofToken.some(isShort) ? ofToken : names) ahead.set(name, (ahead.get(name) ?? 0n) + worth)
    }
    return ahead
  }
}

function isBefore(one: PayoutRow, other: PayoutRow): boolean {
  const [a, b] = [one.created_at.getTime(), other.created_at.getTime()]
  return a < b || (a === b && one.id < other.id)
}
