/** A swap's owed refund that cannot be sent yet: how much, to which address, and what its owner can do. */
import { type Address, type Deposit, formatDecimal, heldDeposits, type Swap, unspent, wayBack } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { human } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

interface Debt {
  units: bigint
  /** The refund address; null if there is none, or more than one. */
  address: Address | null
  needsAddress: boolean
}

export function debtOf(swap: Swap): Debt {
  const held = heldDeposits(swap)
  const deposits = swap.deposits.filter(({ id }) => held.includes(id))
  const ways = deposits.map((deposit) => wayBack(swap, deposit))
  return {
    units: deposits.reduce((sum, deposit) => sum + unspent(deposit), 0n),
    address: onlyOf(ways),
    needsAddress: ways.includes(null),
  }
}

export function presentOwed({ services, baseUrl }: PresentationContext, swap: Swap): wire.Owed | null {
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
      ? `${amount} is owed and held. Give an address for it on ${services.config.publicUrl ?? baseUrl}/swap/${swap.id}, signed by the address that sent the money. The app that made the swap can also call POST /api/v2/swaps/${swap.id}/refund_address with its secret key.`
      : `${amount} is owed and goes back${address ? ` to ${address}` : ''} by itself, less the network's fee, as soon as it can be sent.`,
  }
}

/**
 * The swap's refund address as one value. An address that was set later is shown only if it was set for every deposit:
 * a sender who decided about one deposit must not seem to have decided about the others.
 */
export function refundAddressOf(swap: Swap): Address | null {
  return onlyOf(livingDeposits(swap).map(({ refundAddress }) => refundAddress)) ?? swap.refundAddress
}

/**
 * The one address that everything would be refunded to, even if it is only the sender's; null if there is none, or more
 * than one.
 */
export function onlyWayBack(swap: Swap): Address | null {
  return onlyOf(livingDeposits(swap).map((deposit) => wayBack(swap, deposit)))
}

/** Deposits that no reorg removed, without dust that was kept because it did not cover its gas. */
function livingDeposits(swap: Swap): Deposit[] {
  const goesBack = ({ id }: Deposit) =>
    swap.payouts.some(({ depositId, state }) => depositId === id && state !== 'abandoned')
  return swap.deposits.filter(
    (deposit) => deposit.state !== 'gone' && (deposit.outputUnits > 0n || unspent(deposit) > 0n || goesBack(deposit)),
  )
}

function onlyOf(addresses: (Address | null)[]): Address | null {
  const [only = null, ...more] = new Set(addresses)
  return more.length === 0 ? only : null
}
