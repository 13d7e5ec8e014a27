/**
 * Batch liquidity check. The wallet covers each payout alone, but perhaps not several together. An unfunded payout
 * would fail on chain or be cancelled, and its recipient would be blamed for a refusal.
 */
import { type ChainAdapter, isLeaving, isReturned, type Token, TreasuryShort } from '@causeway/core'
import type { Services } from '../../services.ts'
import { leavingSince } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/**
 * The balance of one token: held by the wallet, in flight, and used by earlier payouts of this batch. Gas is included
 * in each.
 */
interface Stock {
  held: bigint
  underWay: bigint
  used: bigint
  /** The gas that one payout takes from this token: zero unless it is the native coin. */
  gas: bigint
}

/** No node could report the balance. */
interface Unknown {
  error: unknown
}

/**
 * The payouts that the wallet cannot pay after the payouts before them, with the reason. Liquidity for an output was
 * reserved when it was ordered. A return has no reservation, so it must not use coins that are in flight.
 */
export async function liquidityShortages(
  services: Services,
  chain: ChainAdapter,
  payouts: readonly PayoutRow[],
): Promise<Map<string, unknown>> {
  const shortages = new Map<string, unknown>()
  const all = payouts.filter(({ kind }) => isLeaving(kind))
  for (const key of new Set(all.map(({ token }) => token))) {
    const stock = await stockOf(services, chain, key, all)
    if (!stock) continue
    for (const payout of all.filter(({ token }) => token === key)) {
      if ('error' in stock) {
        shortages.set(payout.id, stock.error)
        continue
      }
      const before = stock.used + (isReturned(payout.kind) ? stock.underWay : 0n)
      // For the first payout the node checks balance and gas exactly. The gas used here is only an estimate.
      const wanted = before === 0n ? payout.units : before + payout.units + stock.gas
      const text = `the treasury holds ${stock.held} of ${wanted} ${key} with what goes first`
      if (wanted > stock.held) shortages.set(payout.id, new TreasuryShort(text))
      else stock.used += payout.units + stock.gas
    }
  }
  return shortages
}

/**
 * The balance available for these payouts. Null if no check is needed: there is only one payout, or the last known
 * balance covers everything that may have left since. Then no node is asked.
 */
async function stockOf(
  { database, catalogue, market, now }: Services,
  chain: ChainAdapter,
  key: string,
  all: readonly PayoutRow[],
): Promise<Stock | Unknown | null> {
  const { name } = chain.network
  const token = catalogue.token(name, key)
  const isNative = token.contract === null
  const wanted = all.filter((payout) => payout.token === key)
  // Payouts in other tokens take their gas from the native coin.
  const isAlone = (isNative ? all : wanted).length === 1
  if (isAlone && !wanted.some(({ kind }) => isReturned(kind))) return null
  const balance = market.balance(token)
  const leaving = await leavingSince(database, token, chain.treasury, balance?.at ?? now())
  const gas = isNative ? (market.gas(name) ?? 0n) : 0n
  const underWay = leaving.underWay + gas * leaving.payoutsUnderWay
  if (isAlone && underWay === 0n) return null
  const paid = leaving.paid + gas * leaving.payoutsPaid
  const most = unitsOf(wanted) + gas * BigInt(all.length) + underWay + paid
  if (balance && balance.units >= most) return null
  const used = gas * BigInt(all.length - wanted.length)
  // If a node cannot report one token's balance, only payouts in that token wait.
  return heldOf(chain, token).then(
    (held) => ({ held, underWay, used, gas }),
    (error: unknown) => ({ error }),
  )
}

function unitsOf(payouts: readonly PayoutRow[]): bigint {
  return payouts.reduce((sum, { units }) => sum + units, 0n)
}

async function heldOf(chain: ChainAdapter, token: Token): Promise<bigint> {
  const { units } = await chain.balances([{ owner: chain.treasury, token }])
  return units[0] ?? 0n
}
