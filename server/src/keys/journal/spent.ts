/** Amounts signed within the last day, per minute. A signer's policy limits them per hour and per day. */
import type { Signature, Spent } from './line.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface Outflow {
  units(network: string, token: string, span: 'hour' | 'day'): bigint
  orders(network: string): number
  /** Fees in native units; each slot counts with its most expensive signature. */
  fees(network: string): bigint
}

export interface SpentBook {
  /** `isNew`: nothing was signed in this slot before. `feeBefore`: the highest fee of the slot's earlier signatures. */
  add(
    at: Date,
    signature: Pick<Signature, 'network' | 'order' | 'fee'>,
    slot: { isNew: boolean; feeBefore: bigint },
  ): void
  /** Counts what is being signed from now on, until it is added or nothing was signed. Returns how to end that. */
  reserve(
    signature: Pick<Signature, 'network' | 'order' | 'fee'>,
    slot: { isNew: boolean; feeBefore: bigint },
  ): () => void
  load(spent: readonly Spent[]): void
  /** The entries of the last day, which are copied into the next segment. */
  list(now: Date): Spent[]
  outflow(now: Date): Outflow
}

export function createSpentBook(): SpentBook {
  let book: Spent[] = []
  const reserved = new Set<Spent>()
  const forget = (now: Date) => {
    book = book.filter(({ at }) => at > now.getTime() - DAY_MS)
  }
  return {
    add(at, { network, order, fee }, { isNew, feeBefore }) {
      const minute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS
      let spent = book.find((one) => one.at === minute && one.network === network)
      if (!spent) {
        spent = { at: minute, network, units: {}, orders: 0, fee: '0' }
        book.push(spent)
      }
      count(spent, order, BigInt(fee), { isNew, feeBefore })
    },
    reserve({ network, order, fee }, slot) {
      const spent: Spent = { at: 0, network, units: {}, orders: 0, fee: '0' }
      count(spent, order, BigInt(fee), slot)
      reserved.add(spent)
      return () => void reserved.delete(spent)
    },
    load(spent) {
      book = structuredClone([...spent])
    },
    list(now) {
      forget(now)
      return structuredClone(book)
    },
    outflow(now) {
      forget(now)
      const within = (network: string, span: 'hour' | 'day') => {
        // Spending is booked per minute. A minute counts until its end is an hour (or a day) old. Entries dated in the future count, too.
        const from = now.getTime() - (span === 'hour' ? HOUR_MS : DAY_MS) - MINUTE_MS
        const recent = book.filter((one) => one.network === network && one.at > from)
        return [...recent, ...[...reserved].filter((one) => one.network === network)]
      }
      return {
        orders: (network) => within(network, 'hour').reduce((sum, { orders }) => sum + orders, 0),
        units: (network, token, span) =>
          within(network, span).reduce((sum, { units }) => sum + BigInt(units[token] ?? 0), 0n),
        fees: (network) => within(network, 'hour').reduce((sum, { fee }) => sum + BigInt(fee), 0n),
      }
    },
  }
}

function count(
  spent: Spent,
  order: Signature['order'],
  fee: bigint,
  { isNew, feeBefore }: { isNew: boolean; feeBefore: bigint },
): void {
  if (fee > feeBefore) spent.fee = (BigInt(spent.fee) + fee - feeBefore).toString()
  if (!isNew) return
  spent.orders++
  for (const [token, units] of unitsOf(order)) {
    spent.units[token] = (BigInt(spent.units[token] ?? 0) + units).toString()
  }
}

function unitsOf(order: Signature['order']): [string, bigint][] {
  if (order.kind === 'exchange') return [[String(order.sells), BigInt(String(order.units))]]
  const transfers = Array.isArray(order.transfers) ? (order.transfers as { token: string; units: string }[]) : []
  return transfers.map(({ token, units }) => [token, BigInt(units)])
}
