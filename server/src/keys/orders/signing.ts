/** How this process signs: through which journal, as which writer of the database, and whether it is stopped. */
import type { StopCode } from '../journal/line.ts'
import type { OrderSigner } from './orders.ts'

export interface Signing {
  /** Null in a process that does not sign. */
  orders: OrderSigner | null
  /** The id of the database, which a restored backup keeps. */
  database: string
  /** The row of this process. */
  writer: string
  /** The highest counter that was acknowledged to this process. */
  seen: bigint
  /** Why nothing is signed and no swap is accepted. */
  stopped: StopCode | null
}
