/** Answers of the console's own API. */

interface Waiting {
  kind: 'held' | 'owed' | 'unmatched' | 'request'
  id: string
  swap: string | null
  network: string
  amount: string
  units: string
  symbol: string
  usd: number | null
  since: string
  reason: string
}
export interface Overview {
  now: string
  /** Dollars of the last 24 hours. */
  result: { earned: number; spent: number; usd: number; is_partial: boolean }
  motion: { paid: number; newest: string | null; under_way: number }
  /** Webhooks given up in the last 24 hours. */
  given_up: number
  waiting: Waiting[]
  retrying: number
  paused: { scope: string; reason: string; swaps: boolean; payouts: boolean; at: string }[]
  halted: { network: string; account: string; reason: string; at: string }[]
  wallets: {
    network: string
    amount: string
    units: string
    symbol: string
    usd: number | null
    account: string
    /** Null before the ledger was opened. */
    agrees: boolean | null
    seen_at: string
    /** The wanted minimum in dollars; null if not set. */
    floor: number | null
    /** The lowest maximum that applies, in dollars; null if not set. */
    ceiling: number | null
    /** The scope of limits for this token; null if it is no longer listed. */
    scope: string | null
    is_low: boolean
    /** A network that has more of the same token than its minimum. */
    move_from: { network: string; amount: string; symbol: string } | null
  }[]
  /** `name`: as the pages show it. */
  feeds: {
    network: string
    name: string
    head: number | null
    head_at: string | null
    price: number | null
    symbol: string
  }[]
}

export interface Feeds {
  now: string
  sources: string[]
  networks: {
    network: string
    head: number | null
    head_at: string | null
    nodes: { node: string; trouble: string | null; failures: number; differed: number; rests: boolean }[]
    cost: Amount | null
    token_cost: Amount | null
    cost_at: string | null
  }[]
  prices: { group: string; usd: number | null; at: string | null; answered: number | null; asked: number }[]
}
interface Amount {
  amount: string
  symbol: string
  usd: number | null
}
