/** A refund in numbers: what was sent, what was returned, and what was deducted for the network fee. */
import { plainNumber, type SwapDetails, type Transaction } from '@causeway/sdk/light'
import { fromUnits, toUnits } from '../../../money/parse-amount.ts'

export interface Return {
  /** Decimals of the source token. */
  sent: string
  returned: string
  /** Null if nothing was deducted, or if a part was swapped. */
  fee: string | null
}

export function returnOf({ swap }: SwapDetails): Return {
  const { decimals } = swap.source_token
  const sum = (wanted: Transaction['type']) =>
    swap.transactions
      .filter(({ type }) => type === wanted)
      .reduce((total, { amount }) => total + (toUnits(plainNumber(amount), decimals) ?? 0n), 0n)
  const [sent, returned] = [sum('input'), sum('refund')]
  const isWhole = !swap.transactions.some(({ type }) => type === 'output')
  const fee = isWhole && returned > 0n && sent > returned ? fromUnits(sent - returned, decimals) : null
  return { sent: fromUnits(sent, decimals), returned: fromUnits(returned, decimals), fee }
}
