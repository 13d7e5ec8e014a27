/**
 * Attack B2, varied: anyone may say of a swap which transaction paid it, and each such hint asks a node. Where a network has a
 * budget of requests (Hyperliquid has one), hints must not use up what the scan needs: it would see no deposit of anyone.
 */
import { type ChainAdapter, type Inspection, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { budgeted, createNodeBudgets } from '../../../server/src/catalogue/node-budget.ts'
import { followHint } from '../../../server/src/flow/watch/deposit-hint.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { startServices, type TestServices } from '../../support/service/services.ts'

const FROM = 'ALPHA'
/** `max_requests_per_minute` of Hyperliquid's mainnet, and what looking up an unknown hash costs there: the time and a ledger. */
const [PER_MINUTE, LOOK_WEIGHT] = [1_100, 22]

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

test('while one client sends hints, the network is scanned', async () => {
  const traffics = createNodeBudgets(services.metrics, () => new Date())
  const real = chainOf(services.chains, FROM)
  const network = { ...real.network, maxRequestsPerMinute: PER_MINUTE }
  const { spent } = traffics(network)
  const chain: ChainAdapter = Object.assign(Object.create(real), {
    network,
    async inspect(): Promise<Inspection> {
      spent('userNonFundingLedgerUpdates', LOOK_WEIGHT)
      return { state: 'unknown' }
    },
    scan: async () => ({ sightings: [], next: '', head: { number: 1n, hash: '' }, scannedTo: 1n, reorgFrom: null }),
  })
  const chains = budgeted(new Map([[FROM, chain]]), traffics)
  const hinted = { ...services, chains }
  // A minute's budget is gone.
  for (let n = 0; n < PER_MINUTE / LOOK_WEIGHT; n++) spent('userNonFundingLedgerUpdates', LOOK_WEIGHT)
  let isOver = false
  const flood = (async () => {
    while (!isOver) await followHint(hinted, { network: FROM, txHash: '0x1', since: services.now() })
  })()
  const scanned = await chainOf(chains, FROM)
    .scan(null, { owned: async () => new Set() })
    .then(
      () => 'scanned',
      (error: unknown) => (error instanceof RetryLater ? error.message : String(error)),
    )
  isOver = true
  await flood
  expect(scanned).toBe('scanned')
}, 60_000)
