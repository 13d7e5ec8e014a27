/**
 * The last look before money leaves: a halted wallet, a switch, a screened address, a limit, an approval that is missing.
 * Asked of the database, not of memory, each time a payout is about to get its slot. What is held stays held until the
 * reason is gone or a person answers; nothing here ever gives a payout up by itself.
 */
import { type Token, toUsd } from '@causeway/core'
import { limitOn, outflowLeft, pausedPayout, readRules, routeScope } from '../safeguards.ts'
import type { Services } from '../services.ts'
import { listHalts } from '../store/safeguards.ts'
import { type PayoutRow, readSwap, type SwapRecord } from '../store/swaps.ts'
import { isCall } from './relay.ts'

/** Not now, for a reason that time alone may not mend. */
export class Held extends Error {
  override name = 'Held'
  /** Whether a person has to do something. */
  readonly needsPerson: boolean
  constructor(reason: string, needsPerson: boolean) {
    super(reason)
    this.needsPerson = needsPerson
  }
}

export async function checkPayout(services: Services, payout: PayoutRow): Promise<void> {
  const { database, catalogue, market } = services
  const halt = (await listHalts(database)).find((h) => h.network === payout.network && h.account === payout.account)
  if (halt) throw new Held(`the wallet is halted: ${halt.reason}`, true)
  // A sweep brings our own coins home, a call moves none of them: nothing leaves.
  if (payout.kind === 'sweep' || isCall(payout)) return
  const token = catalogue.token(payout.network, payout.token)
  const swap = payout.swap_id ? await readSwap(database, payout.swap_id) : null
  const route = swap && routeOf(services, swap)
  const rules = await readRules(database, catalogue, market, services.now())
  const paused = pausedPayout(rules, token, route)
  if (paused !== null) throw new Held(`payouts are paused: ${paused}`, false)
  if (!payout.approved_at) {
    await screen(services, payout, swap)
    const above = limitOn(rules, 'approval_above', token, route)
    if (above !== null && worth(services, token, payout) > above) throw new Held('it waits for an approval', true)
  }
  const left = outflowLeft(rules, token)
  if (left !== null && worth(services, token, payout) > left) throw new Held('the outflow limit is reached', false)
}

async function screen(services: Services, payout: PayoutRow, swap: SwapRecord | null): Promise<void> {
  const senders = swap?.deposits.flatMap(({ from_address: address, network }) =>
    address ? [{ network, address }] : [],
  )
  const suspects = [{ network: payout.network, address: payout.to_address }, ...(senders ?? [])]
  const hit = await services.screener.screen(suspects)
  if (hit) throw new Held(`${hit.address} is screened: ${hit.reason}`, true)
}

/** A token without a price could be worth anything. */
function worth({ market }: Services, token: Token, { units }: PayoutRow): bigint {
  const price = market.price(token)
  if (price === null) throw new Held(`there is no price for ${token.symbol}`, false)
  return toUsd(units, token, price, 'up')
}

function routeOf({ catalogue }: Services, { row }: SwapRecord): string {
  const source = catalogue.token(row.source_network, row.source_token)
  return routeScope(source, catalogue.token(row.destination_network, row.destination_token))
}
