/** What every part of the server is handed: nothing is imported live, so that tests can stand in for any of it. */
import type { Catalogue } from '@causeway/core'
import type { Logger } from 'pino'
import type { Campaigns } from './campaigns.ts'
import type { Chains } from './chains.ts'
import type { Config } from './config.ts'
import type { Exchange } from './exchanges.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Market } from './quoting.ts'
import type { Safeguards } from './safeguards.ts'
import type { Screener } from './screening/screener.ts'
import type { QuoteSigner } from './signing.ts'
import type { Database, Queries } from './store/database.ts'

export interface Services {
  config: Config
  database: Database
  catalogue: Catalogue
  chains: Chains
  exchanges: readonly Exchange[]
  campaigns: Campaigns
  market: Market
  safeguards: Safeguards
  screener: Screener
  log: Logger
  metrics: Metrics
  now: () => Date
  quoteSigner: QuoteSigner
  /** The swap as `GET /swaps/{id}` answers it, as text; what webhooks and event streams tell. Only the API knows the wire. */
  describeSwap(queries: Queries, swapId: string): Promise<string>
}
