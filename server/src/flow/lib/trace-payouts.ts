/** Spans of payouts, in the traces of their swaps. Payouts without a swap have none. */
import type { Services } from '../../services.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

interface PayoutSpan {
  name: string
  /** When it began, or when each payout's did. */
  from: Date | ((payout: PayoutRow) => Date)
  attempt?: number
  problem?: string
}

export function tracePayouts(services: Services, payouts: readonly PayoutRow[], span: PayoutSpan): void {
  const { name, from, attempt = null, problem } = span
  const to = services.now()
  for (const payout of payouts) {
    const { id, kind, network } = payout
    services.traces.add(payout.swap_id, {
      ...{ name, to, from: typeof from === 'function' ? from(payout) : from },
      attributes: { 'payout.id': id, 'payout.kind': kind, 'chain.network': network, 'payout.attempt': attempt },
      ...(problem === undefined ? {} : { problem }),
    })
  }
}

/** The class of the error: its message may hold an address. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
