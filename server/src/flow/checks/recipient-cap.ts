/**
 * Coins run the code of a contract that they are paid to, and it may let them fail in their block after every trial went well. A
 * burst of swaps to one would be on its way before the first failure is known: so a few at a time, and the next when these are done.
 */
import { type Address, type ChainAdapter, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import { openToRecipients } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isCall } from '../kinds/relay.ts'
import { PayoutOnHold } from './payout-on-hold.ts'

/** What one recipient can make us lose before it is known for it; and more than an honest contract gets within a minute. */
const MOST_OPEN = 3

/** Those of these payouts, in their order, that wait for others to the same recipient, by their ids. */
export async function overRecipientCap(
  { database }: Services,
  chain: ChainAdapter,
  payouts: readonly PayoutRow[],
): Promise<Map<string, PayoutOnHold>> {
  const held = new Map<string, PayoutOnHold>()
  const native = tokenKey(chain.network.nativeToken)
  const coins = payouts.filter((one) => one.kind !== 'sweep' && one.token === native && !isCall(one))
  if (!chain.recipientGas || !chain.accounts || coins.length === 0) return held
  const recipients = [...new Set(coins.map(({ to_address }) => to_address))]
  const open = await openToRecipients(database, { network: chain.network.name, token: native }, recipients)
  for (const { id, to_address: to } of coins) {
    const count = open.get(to) ?? 0
    if (count < MOST_OPEN) open.set(to, count + 1)
    else held.set(id, new PayoutOnHold({ code: 'recipient_cap', address: to, most: MOST_OPEN }))
  }
  const crowded = coins.filter(({ id }) => held.has(id))
  for (const to of new Set(crowded.map(({ to_address }) => to_address))) {
    if (await hasCode(chain, to)) continue
    for (const { id } of crowded.filter(({ to_address }) => to_address === to)) held.delete(id)
  }
  return held
}

/** Where no node answers it may be one: nothing is paid without a node anyway. */
async function hasCode(chain: ChainAdapter, address: Address): Promise<boolean> {
  return (await chain.accounts?.isContract(address).catch(() => true)) ?? false
}
