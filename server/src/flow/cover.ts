/**
 * Each payout that is begun was found to be covered by itself. Several at once may not be: those that the wallet cannot pay would
 * fail in their blocks, or be cancelled for want of coins, and look as if their recipients had been refused.
 */
import { type ChainAdapter, RetryLater, type Token } from '@causeway/core'
import type { Services } from '../services.ts'
import { unitsUnderWay } from '../store/payouts.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { isCall } from './relay.ts'

interface Planned {
  payouts: readonly PayoutRow[]
}

/** Of one token: what the wallet holds, what of it is on its way already, and what is begun of it now. */
interface Stock {
  held: bigint
  underWay: bigint
  used: bigint
}

/** Nobody could tell. */
interface Unknown {
  error: unknown
}

/**
 * Those of one wallet's plans, in their order, that it can pay together; the others are told why not. What was promised of its
 * coins was free when it was promised. What goes back was not: it also leaves alone what is on its way already.
 */
export async function covered<T extends Planned>(
  services: Services,
  chain: ChainAdapter,
  planned: readonly T[],
  refusals: Map<string, unknown>,
): Promise<T[]> {
  const tokens = [...new Set(planned.flatMap(({ payouts }) => payouts.filter(isPaid).map(({ token }) => token)))]
  const left = new Map<string, Stock | Unknown>()
  for (const key of tokens) {
    const wanted = planned.flatMap(({ payouts }) => payouts.filter(({ token }) => token === key))
    const hasReturn = wanted.some(isReturn)
    if (wanted.length === 1 && !hasReturn) continue
    const token = services.catalogue.token(chain.network.name, key)
    const underWay = hasReturn ? await unitsUnderWay(services.database, token, chain.treasury) : 0n
    if (wanted.length === 1 && underWay === 0n) continue
    const most = wanted.reduce((sum, { units }) => sum + units, underWay)
    if ((services.market.balance(token)?.units ?? 0n) >= most) continue
    // What a node does not tell of one token stands in the way of that token only.
    const held = await heldOf(chain, token).catch((error: unknown) => ({ error }))
    left.set(key, typeof held === 'bigint' ? { held, underWay, used: 0n } : held)
  }
  return planned.filter(({ payouts }) => {
    const [first] = payouts
    const stock = first && left.get(first.token)
    if (!stock) return true
    if ('error' in stock) {
      for (const { id } of payouts) refusals.set(id, stock.error)
      return false
    }
    const units = payouts.reduce((sum, payout) => sum + payout.units, 0n)
    const wanted = stock.used + units + (payouts.some(isReturn) ? stock.underWay : 0n)
    if (wanted <= stock.held) stock.used += units
    else
      for (const { id, token } of payouts)
        refusals.set(id, new RetryLater(`the treasury holds ${stock.held} of ${wanted} ${token} with what goes first`))
    return wanted <= stock.held
  })
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
