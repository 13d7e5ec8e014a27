/**
 * Each payout that is begun was found to be covered by itself. Several at once may not be: those that the wallet cannot pay would
 * fail in their blocks, or be cancelled for want of coins, and look as if their recipients had been refused.
 */
import { type ChainAdapter, type Token, TreasuryShort } from '@causeway/core'
import type { Services } from '../../services.ts'
import { leavingSince } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isCall } from '../kinds/relay.ts'

interface Planned {
  payouts: readonly PayoutRow[]
}

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
 * Those of one wallet's plans, in their order, that it can pay together; the others are told why not. What was promised of its
 * coins was free when it was promised. What goes back was not: it also leaves alone what is on its way already.
 */
export async function withLiquidity<T extends Planned>(
  services: Services,
  chain: ChainAdapter,
  planned: readonly T[],
  refusals: Map<string, unknown>,
): Promise<T[]> {
  const all = planned.flatMap(({ payouts }) => payouts.filter(isPaid))
  const left = new Map<string, Stock | Unknown>()
  for (const key of new Set(all.map(({ token }) => token))) {
    const stock = await stockOf(services, chain, key, all)
    if (stock) left.set(key, stock)
  }
  return planned.filter(({ payouts }) => {
    const [first] = payouts
    const stock = first && left.get(first.token)
    if (!stock) return true
    if ('error' in stock) {
      for (const { id } of payouts) refusals.set(id, stock.error)
      return false
    }
    const units = unitsOf(payouts)
    const gas = stock.gas * BigInt(payouts.length)
    const before = stock.used + (payouts.some(isReturn) ? stock.underWay : 0n)
    // With nothing before it the node has found it covered, to the unit and with its own gas, of which this is a guess.
    const wanted = before === 0n ? units : before + units + gas
    if (wanted <= stock.held) stock.used += units + gas
    else
      for (const { id, token } of payouts)
        refusals.set(
          id,
          new TreasuryShort(`the treasury holds ${stock.held} of ${wanted} ${token} with what goes first`),
        )
    return wanted <= stock.held
  })
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
  if (isAlone && !wanted.some(isReturn)) return null
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

function isPaid(payout: PayoutRow): boolean {
  return payout.kind !== 'sweep' && !isCall(payout)
}

function isReturn({ kind }: PayoutRow): boolean {
  return kind === 'refund' || kind === 'return'
}

async function heldOf(chain: ChainAdapter, token: Token): Promise<bigint> {
  const { units } = await chain.balances([{ owner: chain.treasury, token }])
  return units[0] ?? 0n
}
