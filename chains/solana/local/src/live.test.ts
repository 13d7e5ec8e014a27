/**
 * The adapter's node calls and their decoding, on the local chain, or on another one if `SOLANA_RPC_URL` names a node.
 * It only reads: no money is needed or moved.
 */

import { family } from '@causeway/solana'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { fullBlock, latestBlock } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { startChain, type TestChain, testNetwork } from './testbed.ts'

/** Public nodes are slow and allow only a few requests per second. */
const PATIENCE = { request_timeout_ms: 60_000, parallel_requests: 1, scan_blocks: 2 }

let local: TestChain | null = null
let url = process.env.SOLANA_RPC_URL ?? ''
beforeAll(async () => {
  if (url) return
  local = await startChain()
  url = local.url
  await local.local.transfer(
    ...([local.local.accounts[0] ?? { address: '', secret: '' }, local.network.nativeToken] as const),
    ...([local.treasury, 5_000_000n] as const),
  )
})
afterAll(() => local?.local.stop())

const opened = () =>
  family.open({
    network: testNetwork({ nodes: [url], settings: PATIENCE }),
    signer: testSigner('live'),
    log: { info() {}, warn() {}, error() {} },
  })

it('blocks are read and linked, from cursor to cursor', { timeout: 180_000 }, async () => {
  const adapter = await opened()
  const ours = staticWatchlist(adapter.treasury)
  let scan = await adapter.scan(null, ours)
  const from = scan.scannedTo
  for (let rounds = 0; rounds < 10 && scan.scannedTo < from + 3n; rounds++) {
    scan = await adapter.scan(scan.next, ours)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  expect(scan.scannedTo).toBeGreaterThan(from)
})

it('a transaction of a recent block is inspected as included, at its block', { timeout: 180_000 }, async () => {
  const adapter = await opened()
  const node = openNode(url, { timeoutMs: 60_000, parallel: 1 })
  const [head] = await node.ask([latestBlock('finalized')])
  const slot = local ? head.slot : head.slot - 20n
  const [block] = await node.settle([fullBlock(slot)])
  const found = 'transactions' in block ? block.transactions.find(({ failed }) => !failed) : undefined
  // A slot may be empty: then there is nothing to check.
  if (!found) return
  const inspection = await adapter.inspect(found.hash, staticWatchlist(adapter.treasury))
  expect(inspection).toMatchObject({ state: 'included', block: { number: slot } })
})

it('fees and balances are answered, and an unknown transaction is unknown', { timeout: 180_000 }, async () => {
  const adapter = await opened()
  const fees = await adapter.fees()
  expect(fees.nativeTransfer).toBeGreaterThanOrEqual(5_000n)
  expect(fees.tokenTransfer).toBeGreaterThan(fees.nativeTransfer)
  const { nativeToken } = adapter.network
  expect((await adapter.balance(adapter.treasury, nativeToken)).units).toBeGreaterThanOrEqual(0n)
  const nobody = '2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuw'
  expect(await adapter.inspect(nobody, staticWatchlist(adapter.treasury))).toEqual({ state: 'unknown' })
})
