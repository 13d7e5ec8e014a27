/**
 * The order of payouts that wait for an outflow limit: the one that was ordered first goes first, whatever it is worth.
 * Otherwise small payouts would use the limit up again and again, and a larger one would never fit.
 */
import type { Usd } from '@causeway/core'
import { budgetsOf, type Rules, wholeBudgets } from '../../market/safeguards.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { heldForOutflow } from '../../store/payouts/held-payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/** The dollars of each limit that the payouts before this one need. */
export type OutflowQueue = (payout: PayoutRow, worthOf: (payout: PayoutRow) => Usd | null) => ReadonlyMap<string, Usd>

export async function readOutflowQueue({ catalogue }: Services, queries: Queries, rules: Rules): Promise<OutflowQueue> {
  const whole = wholeBudgets(rules)
  const waiting = whole.size === 0 ? [] : await heldForOutflow(queries)
  return (payout, worthOf) => {
    const ahead = new Map<string, Usd>()
    for (const one of waiting.filter((other) => isBefore(other, payout))) {
      const names = budgetsOf(catalogue.token(one.network, one.token), one.kind).filter((name) => whole.has(name))
      const worth = worthOf(one)
      // Above a whole limit it waits for an operator, and no other payout waits for it.
      if (worth === null || names.some((name) => worth > (whole.get(name) ?? 0n))) continue
      for (const name of names) ahead.set(name, (ahead.get(name) ?? 0n) + worth)
    }
    return ahead
  }
}

function isBefore(one: PayoutRow, other: PayoutRow): boolean {
  const [a, b] = [one.created_at.getTime(), other.created_at.getTime()]
  return a < b || (a === b && one.id < other.id)
}
