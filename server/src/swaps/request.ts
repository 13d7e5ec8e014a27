/** A request for a swap, before validation. */
import type { RouteRequest } from '../offer/quote-service.ts'

export interface SwapRequest extends RouteRequest {
  /** Null for an open amount: any deposit inside the limits is swapped. */
  amount: string | null
  slippage: string | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  useNewDepositAddress: boolean
  /** Whether the depositor's own transaction shall make the exchange on the source network, if it can. */
  forceUserExecution?: boolean
  referenceId: string | null
  /** The app whose key was used, and whether it was a secret key. */
  appId: string | null
  hasSecretKey?: boolean
  /** The client whose quota of open deposit addresses counts: a key, or an address. Absent: no quota. */
  client?: string
  /** The networks above that address, and how many quotas each has. */
  clientNetworks?: readonly { name: string; limits: number }[]
  appName: string | null
  /** Exchange names as the caller gave them. */
  sourceExchange: string | null
  destinationExchange: string | null
  correlationId: string | null
}
