/** Balances of our wallets against their minimum: which are low, and which other wallet has most of the same token. */
import { formatDecimal, type Token, USD_DECIMALS } from '@causeway/core'
import { amountsOf, type Shown } from '../market/amounts.ts'
import { limitOn, tokenScope } from '../market/safeguards.ts'
import type { Finding } from '../store/ledger/ledger.ts'
import type { LimitRow } from '../store/limits/safeguards.ts'
import type { Console } from './console.ts'

export interface WalletBalance extends Shown {
  account: string
  /** Whether the balance matches the ledger; null before the ledger was opened. */
  agrees: boolean | null
  seen_at: string
  /** The operator's minimum in dollars; null if none is set. */
  floor: number | null
  /** The lowest maximum that applies, in dollars; null if none is set. */
  ceiling: number | null
  /** The scope of limits for this token; null if it is no longer listed. */
  scope: string | null
  is_low: boolean
  /** The wallet with the largest surplus of the same token; null if there is none, or if this one is not low. */
  move_from: Shown | null
}

interface Place {
  finding: Finding
  token: Token | null
  shown: Shown
  floor: number | null
  ceiling: number | null
}

export function walletBalances(house: Console, findings: Finding[], limits: LimitRow[]): WalletBalance[] {
  const { shown } = amountsOf(house)
  const limitFor = (kind: 'wallet_floor' | 'wallet_ceiling', token: Token | null) => {
    const usd = token && limitOn({ limits }, kind, token)
    return usd === null ? null : Number(formatDecimal(usd, USD_DECIMALS))
  }
  const places = findings
    .filter(({ network, account }) => house.chains.get(network)?.treasury === account)
    .map((finding): Place => {
      const token = tokenOf(house, finding)
      const [floor, ceiling] = [limitFor('wallet_floor', token), limitFor('wallet_ceiling', token)]
      return { finding, token, shown: shown(finding.network, finding.token, finding.chain_units), floor, ceiling }
    })
  return places.map((place) => {
    const { finding, token, floor, ceiling } = place
    const isLow = isBelow(place)
    return {
      ...place.shown,
      account: finding.account,
      agrees: finding.opened ? finding.chain_units === finding.ledger_units : null,
      seen_at: (finding.seen_at ?? finding.at).toISOString(),
      ...{ floor, ceiling, scope: token && tokenScope(token) },
      ...{ is_low: isLow, move_from: isLow ? fullest(place, places) : null },
    }
  })
}

/** Whether the balance is below its minimum; false if it has no price. */
function isBelow({ shown: { usd }, floor }: Place): boolean {
  return floor !== null && usd !== null && usd < floor
}

/** The wallet with the largest surplus of the same token family. */
function fullest({ token, finding }: Place, places: Place[]): Shown | null {
  const spare = ({ shown: { usd }, floor }: Place) => (usd ?? 0) - (floor ?? 0)
  const alike = places.filter(
    (other) => token !== null && other.finding !== finding && groupOf(other.token) === groupOf(token),
  )
  const [most] = alike.filter((other) => spare(other) > 0).sort((a, b) => spare(b) - spare(a))
  return most?.shown ?? null
}

function groupOf(token: Token | null): string | null {
  return token && (token.group ?? token.symbol)
}

function tokenOf({ catalogue }: Console, { network, token }: Finding): Token | null {
  try {
    return catalogue.token(network, token)
  } catch {
    return null
  }
}
