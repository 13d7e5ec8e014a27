/**
 * Each payout that is begun was found to be covered by itself. Several at once may not be: those that the wallet cannot pay would
 * fail in their blocks, or be cancelled for want of coins, and look as if their recipients had been refused.
 */
import { type ChainAdapter, isLeaving, isReturned, type Token, TreasuryShort } from '@causeway/core'
import type { Services } from '../../services.ts'
import { leavingSince } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/** Of one token: what the wallet holds, what of it is on its way already, and what is begun of it now. Gas counts in each. */
interface Stock {
  held: bigint
  underWay: bigint
  used: bigint
  /** What one payout takes of it beside its units: none, but for the coin that pays the gas. */
  gas: bigint
}

/** Nobody could tell. */
interface Unknown {
  error: unknown
}

/**
 * Those of one wallet's payouts, in their order, that it cannot pay together with those before them, and why. Liquidity for a delivery was
 * free when it was reserved. For a return it was not: that also leaves alone what is on its way already.
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
      // With nothing before it the node tells whether it is covered, to the unit and with its own gas, of which this is a guess.
      const wanted = before === 0n ? payout.units : before + payout.units + stock.gas
      const text = `the treasury holds ${stock.held} of ${wanted} ${key} with what goes first`
      if (wanted > stock.held) shortages.set(payout.id, new TreasuryShort(text))
      else stock.used += payout.units + stock.gas
    }
  }
  return shortages
}

/**
 * What there is of a token for these payouts. Null where there is but one, or where there is plenty even by what was read a while
 * ago, less all that may have left since: then no node is asked.
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
  // Those of other tokens take their gas of the native coin.
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
  // What a node does not tell of one token stands in the way of that token only.
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
