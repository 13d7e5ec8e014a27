/** What every part of the server is handed: nothing is imported live, so that tests can stand in for any of it. */
import type { Catalogue } from '@causeway/core'
import type { Logger } from 'pino'
import type { Chains } from './chains.ts'
import type { Config } from './config.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Market } from './quoting.ts'
import type { Database } from './store/database.ts'

export interface Services {
  config: Config
  database: Database
  catalogue: Catalogue
  chains: Chains
  market: Market
  log: Logger
  metrics: Metrics
  now: () => Date
}
