/** What a swap owes and cannot send back yet: how much, where to, and what its owner can do about it. */
import { type Address, formatDecimal, heldDeposits, type Swap, unspent, wayBack } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { human } from './numbers.ts'

interface Debt {
  units: bigint
  /** Null where it goes to nobody, or to more than one. */
  address: Address | null
  needsAddress: boolean
}

export function debtOf(swap: Swap): Debt {
  const held = heldDeposits(swap)
  const deposits = swap.deposits.filter(({ id }) => held.includes(id))
  const ways = new Set(deposits.map((deposit) => wayBack(swap, deposit)))
  const [only = null] = ways
  return {
    units: deposits.reduce((sum, deposit) => sum + unspent(deposit), 0n),
    address: ways.size === 1 ? only : null,
    needsAddress: ways.has(null),
  }
}

export function presentOwed(swap: Swap): wire.Owed | null {
  const { units, address, needsAddress } = debtOf(swap)
  if (units === 0n) return null
  const { source } = swap
  const amount = `${formatDecimal(units, source.decimals)} ${source.symbol} on ${source.network}`
  return {
    amount: human(units, source),
    amount_in_base_units: units.toString(),
    address,
    needs_address: needsAddress,
    message: needsAddress
      ? `${amount} is owed and held. Say where it shall go: POST /api/v2/swaps/${swap.id}/refund_address, with the secret key of the app that made the swap or signed by the address that sent the money; or ask the operator.`
      : `${amount} is owed and goes back${address ? ` to ${address}` : ''} by itself, less the network's fee, as soon as it can be sent.`,
  }
}
