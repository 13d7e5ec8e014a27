/** The cost of a quote in dollars: its fees, and the share of the exchanges on its way. */

interface Priced {
  path: readonly unknown[]
  requested_amount: number | null
  total_fee: number | null
  total_fee_in_usd: number | null
  refuel_in_source: number | null
  receive_amount: number | null
  source_token: { price_in_usd: number }
  destination_token: { price_in_usd: number }
}

/** The difference between what is exchanged and what is received, which no other fee explains. 0 without an exchange. */
export function exchangeFeeOf(quote: Priced): number {
  const { path, source_token: a, destination_token: b } = quote
  if (path.length < 2 || !a.price_in_usd || !b.price_in_usd) return 0
  const left = (quote.requested_amount ?? 0) - (quote.total_fee ?? 0) - (quote.refuel_in_source ?? 0)
  return Math.max(0, left * a.price_in_usd - (quote.receive_amount ?? 0) * b.price_in_usd)
}

export function totalCostOf(quote: Priced): number {
  return (quote.total_fee_in_usd ?? 0) + exchangeFeeOf(quote)
}

/** The cost as a share of the sent dollars; 0 if those are not known. */
export function costShareOf(quote: Priced): number {
  const sent = (quote.requested_amount ?? 0) * quote.source_token.price_in_usd
  return sent > 0 ? totalCostOf(quote) / sent : 0
}
