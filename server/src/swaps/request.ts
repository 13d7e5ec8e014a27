/** What a caller asks for who wants a swap, before any of it is checked. */
import type { RouteRequest } from '../offer/quote-service.ts'

export interface SwapRequest extends RouteRequest {
  /** Null where whatever arrives inside the limits is swapped. */
  amount: string | null
  slippage: string | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  useNewDepositAddress: boolean
  referenceId: string | null
  /** The app whose key was used, and whether that key is good for more than making swaps. */
  appId: string | null
  hasSecretKey?: boolean
  appName: string | null
  /** Names of exchanges, as the caller gave them. */
  sourceExchange: string | null
  destinationExchange: string | null
  correlationId: string | null
}
