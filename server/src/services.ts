/**
 * The services that every part of the server receives as parameters: nothing is imported live, so that tests can
 * replace any of them.
 */
import type { Catalogue } from '@causeway/core'
import type { Logger } from 'pino'
import type { Chains } from './catalogue/chains.ts'
import type { Exchange } from './catalogue/exchanges.ts'
import type { Config } from './config.ts'
import type { Signing } from './keys/orders/signing.ts'
import type { QuoteSigner } from './keys/quotes/quote-signer.ts'
import type { Campaigns } from './market/campaigns.ts'
import type { Clock } from './market/clock.ts'
import type { Market } from './market/market.ts'
import type { Safeguards } from './market/safeguards.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Traces } from './observe/traces.ts'
import type { Aggregators } from './providers/aggregators.ts'
import type { Screener } from './screening/screener.ts'
import type { Database, Queries } from './store/db/database.ts'
import type { AddressBranch } from './store/watch/address-branch.ts'

export interface Services {
  config: Config
  database: Database
  /**
   * Connections for lists and sums whose size API callers control: few, and with short timeouts, so that no payment waits for
   * them.
   */
  reading: Database
  /** Connections for clients that poll one swap. Like `reading`, a standby may answer. */
  polling: Database
  catalogue: Catalogue
  chains: Chains
  exchanges: readonly Exchange[]
  aggregators: Aggregators
  campaigns: Campaigns
  market: Market
  safeguards: Safeguards
  screener: Screener
  log: Logger
  metrics: Metrics
  traces: Traces
  now: () => Date
  /** Whether `now` agrees with the database's clock. */
  clock: Clock
  /** The branch in which this process start derives deposit addresses. */
  addressBranch: AddressBranch
  /** Unpredictable bytes for references. A simulation draws them from its seed. */
  randomBytes: (size: number) => Uint8Array
  quoteSigner: QuoteSigner
  signing: Signing
  /** The response text of `GET /swaps/{id}`, for webhooks and event streams. Only the API knows the wire format. */
  describeSwap(queries: Queries, swapId: string, reader: string | null): Promise<string>
}
