/** The reviewed terms, as the API request and as the terms that its response is compared with. */
import type { Quoted } from '@causeway/sdk/light'
import type { Terms } from '../../../api/agreed.ts'
import { sessionFor } from '../../../wallet/session.ts'
import { type Choice, flagsOf, type Method } from '../logic.ts'
import { method } from '../state.ts'

export interface Reviewed {
  quoted: Quoted
  /** When the price was read, by this machine's clock. */
  at: number
  from: Choice
  to: Choice
  amount: string
  recipient: string
  /** Whether the recipient is the connected wallet. */
  isOwn: boolean
  refund: string | null
  refuel: boolean
  slippage: string | null
}

export function requestOf(reviewed: Reviewed, by: Method = method.value) {
  const { from, to, amount, refuel, slippage } = reviewed
  return {
    source_network: from.network.name,
    source_token: from.token.contract ?? from.token.symbol,
    destination_network: to.network.name,
    destination_token: to.token.contract ?? to.token.symbol,
    amount,
    refuel,
    ...(slippage === null ? {} : { slippage }),
    ...flagsOf(by),
  }
}

export function bodyOf(reviewed: Reviewed) {
  const session = method.value === 'deposit_address' ? null : sessionFor(reviewed.from.network)
  return {
    ...requestOf(reviewed),
    destination_address: reviewed.recipient,
    ...(reviewed.refund ? { refund_address: reviewed.refund } : {}),
    ...(session ? { source_address: session.account.address } : {}),
  }
}

export function termsOf({ from, to, amount, recipient, refund }: Reviewed): Terms {
  return {
    sourceNetwork: from.network.name,
    sourceToken: from.token.contract,
    destinationNetwork: to.network.name,
    destinationToken: to.token.contract,
    amount,
    recipient,
    refund,
  }
}
