/**
 * Limits concurrent payouts of the native coin to one contract. The contract's code may fail them on chain although
 * every simulation passed, and a burst of swaps would be sent before the first failure is known.
 */
import { type Address, type ChainAdapter, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import { openToRecipients } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { isCall } from '../kinds/relay.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/**
 * How many payouts to one contract may be open, and so how many can fail before the failure is noticed. An honest
 * contract rarely gets more per minute.
 */
const MOST_OPEN = 3

/** The payouts that must wait for earlier ones to the same recipient, by id. */
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

/** If no node answers, assume a contract: nothing is paid without a node anyway. */
async function hasCode(chain: ChainAdapter, address: Address): Promise<boolean> {
  return (await chain.accounts?.isContract(address).catch(() => true)) ?? false
}
