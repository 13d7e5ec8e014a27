/**
 * Reads a node's newest blocks: of a public chain if the environment names one, as in
 * `BITCOIN_RPC_URL=http://user:pass@host:8332`, else of a local one. Any node of any chain in `settings.ts` will do.
 */

import { family } from '@causeway/bitcoin'
import type { Devnet } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { addressOf } from '../../src/address.ts'
import { block, blockHash, chainInfo } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { cutAfter, formatCursor, parseCursor } from '../../src/scanning/cursor.ts'
import { CHAINS, type ChainName } from '../../src/settings.ts'
import { startDevnet } from './index.ts'
import { testNetwork } from './test-network.ts'

const BACK = 3
const log = { info() {}, warn() {}, error() {} }

describe('a node that is only read', () => {
  let url = process.env.BITCOIN_RPC_URL ?? ''
  let local: Devnet | undefined
  beforeAll(async () => {
    if (url !== '') return
    local = await startDevnet([testNetwork()], null)
    url = local.nodes[testNetwork().name] ?? ''
    const [from, to] = local.accounts
    for (let made = 0; from && to && made < BACK; made++) {
      await local.transfer(from, testNetwork().nativeToken, to.address, 10_000n)
    }
  })
  afterAll(() => local?.stop())

  it('has its newest blocks read to the last byte, and the payments in them found again', async () => {
    const node = openNode(url, { timeoutMs: 30_000, batchSize: 50 })
    const [{ chain, height }] = await node.ask([chainInfo()])
    const network = { ...testNetwork({ chain, scan_blocks: BACK, watch_mempool: false }), nodes: [url] }
    const adapter = await family.open({ network, signer: testSigner('live'), log })
    const [hash] = await node.ask([blockHash(height - BACK + 1)])
    const [{ transactions }] = await node.ask([block(hash)])
    const paid = transactions.find(({ inputs, outputs }) => inputs !== null && outputs.some(({ units }) => units > 0n))
    const address = paid?.outputs.map(({ script }) => addressOf(script, CHAINS[chain as ChainName].prefixes))[0]
    const ours = staticWatchlist(adapter.treasury, ...(address ? [address] : []))
    const cursor = formatCursor(cutAfter(parseCursor((await adapter.scan(null, ours)).next), height - BACK))
    const scan = await adapter.scan(cursor, ours)
    expect(scan.scannedTo).toBeGreaterThanOrEqual(BigInt(height))
    expect(scan.reorgFrom).toBeNull()
    if (paid) {
      const inspection = await adapter.inspect(paid.txid, ours)
      expect(inspection).toMatchObject({ state: 'included', block: { hash } })
      const status = await adapter.status({ hash: paid.txid, slot: [], account: adapter.treasury }, nothingSigned)
      expect(status).toMatchObject({ state: 'included' })
    }
    expect((await adapter.fees()).nativeTransfer).toBeGreaterThan(0n)
  }, 120_000)
})
