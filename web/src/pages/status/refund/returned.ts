/** A refund in numbers: what was sent, what was returned, and what was deducted for the network fee. */
import { plainNumber, type SwapDetails, type Transaction } from '@causeway/sdk/light'
import { fromUnits, toUnits } from '../../../money/parse-amount.ts'
import { userExchangeOf } from '../steps/legs.ts'

export interface Return {
  sent: string
  returned: string
  /** The token of the refund. After a sale on an exchange it is the one that was bought there. */
  token: Transaction['token']
  /** Null if nothing was deducted, or if a part was swapped. */
  fee: string | null
}

export function returnOf({ swap }: SwapDetails): Return {
  const { decimals, symbol } = swap.source_token
  const token = swap.transactions.find(({ type }) => type === 'refund')?.token ?? swap.source_token
  const sum = (wanted: Transaction['type'], digits: number) =>
    swap.transactions
      .filter(({ type }) => type === wanted)
      .reduce((total, { amount }) => total + (toUnits(plainNumber(amount), digits) ?? 0n), 0n)
  const own = userExchangeOf(swap)
  const sent = own ? (toUnits(plainNumber(own.sold_amount), decimals) ?? 0n) : sum('input', decimals)
  const returned = sum('refund', token.decimals)
  const isWhole = token.symbol === symbol && !swap.transactions.some(({ type }) => type === 'output')
  const fee = isWhole && returned > 0n && sent > returned ? fromUnits(sent - returned, decimals) : null
  return { sent: fromUnits(sent, decimals), returned: fromUnits(returned, token.decimals), token, fee }
}
