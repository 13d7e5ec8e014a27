/**
 * One URL may be several nodes of different heights: a wallet's history is read up to a block that all of them know.
 */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { startServices, type TestServices } from '../../../tests/support/service/services.ts'
import { chainOf } from '../catalogue/chains.ts'
import { saveChecked } from '../store/ledger/wallet-checks.ts'
import { readHistory } from './history.ts'

const NETWORK = 'ALPHA'
const CHECKED = 50n

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  const { treasury } = chainOf(services.chains, NETWORK)
  await saveChecked(services.database, NETWORK, treasury, CHECKED, new Date())
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

/** Heads come from these nodes in turn; movements are read from a node that knows blocks up to `known`. */
function balanced(heads: bigint[], known: () => bigint, asked: bigint[] = []): ChainAdapter {
  const chain = chainOf(services.chains, NETWORK)
  let turn = 0
  return {
    ...chain,
    async balances() {
      return { block: { number: heads[turn++ % heads.length] ?? 0n, hash: 'a block' }, units: [] }
    },
    audit: {
      async movements(_account, _from, to) {
        asked.push(to)
        if (to > known()) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
        return []
      },
    },
  }
}

test('a lagging node behind the load balancer does not block the wallet check', async () => {
  const asked: bigint[] = []
  const history = await readHistory(
    services.database,
    balanced([100n, 100n, 96n], () => 97n, asked),
  )
  expect(history).toMatchObject({ from: CHECKED + 1n, head: 96n, unknown: [] })
  expect(asked).toEqual([100n, 100n, 96n])
})

test('if no node lags, history is read up to the newest block with one call', async () => {
  const asked: bigint[] = []
  expect(
    await readHistory(
      services.database,
      balanced([100n], () => 100n, asked),
    ),
  ).toMatchObject({ head: 100n })
  expect(asked).toEqual([100n])
})

test('if no node can answer, the check fails with a retry', async () => {
  await expect(
    readHistory(
      services.database,
      balanced([100n, 96n], () => 0n),
    ),
  ).rejects.toThrow(RetryLater)
})
