/** The owed deposits of a swap, and how much a new refund address could receive. */
import { type DepositRow, type SwapRecord, saleIn } from '../swaps/swaps.ts'

/** Deposits that their swap no longer waits for, and of which a part, or of their sale's proceeds, has no payout. */
export function owedDeposits(record: SwapRecord): DepositRow[] {
  const { row, deposits } = record
  if (row.status === 'user_transfer_pending') return []
  const isSold = row.status === 'pending_refund' && saleIn(record) !== null
  return deposits.filter(
    ({ state, units, output_units, refund_units }) =>
      state === 'confirmed' && (output_units + refund_units < units || (isSold && output_units > 0n)),
  )
}

export interface Reach {
  deposit: DepositRow
  amounts: { network: string; token: string; units: bigint }[]
}

/**
 * What of each owed deposit may go to a new refund address: all that is not finally delivered or refunded. A part may be
 * promised to a recipient now; if that payout is given up or rejected, this part goes to the refund address as well. A
 * sold part goes there as proceeds of the sale, in another token. All proceeds are counted with the first sold deposit.
 */
export function withinReach(record: SwapRecord): Reach[] {
  const { row, payouts } = record
  const sale = saleIn(record)
  const owed = owedDeposits(record)
  const sold = owed.find(({ output_units }) => output_units > 0n)
  return owed.map((deposit) => {
    const { id, network, token, units, output_units } = deposit
    const back = payouts.filter(({ deposit_id, state }) => deposit_id === id && state === 'confirmed')
    const gone = sale || row.status === 'completed' ? output_units : 0n
    const amounts = [{ network, token, units: units - gone - spentIn(token, back) }]
    const { network: on, leg, received_units: received } = sale ?? {}
    if (deposit === sold && row.status !== 'completed' && on && leg && received) {
      const all = payouts.filter(({ deposit_id, state }) => deposit_id !== null && state === 'confirmed')
      amounts.push({ network: on, token: leg.buys, units: received - spentIn(leg.buys, all) })
    }
    return { deposit, amounts: amounts.filter((amount) => amount.units > 0n) }
  })
}

function spentIn(bought: string, payouts: SwapRecord['payouts']): bigint {
  return payouts
    .filter(({ token }) => token === bought)
    .reduce((sum, { units, kept_units }) => sum + units + kept_units, 0n)
}
