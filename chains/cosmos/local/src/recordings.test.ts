/** Recorded answers of CometBFT: the adapter reads and hashes them, and the local chain answers in the same form. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import { blockHash, dataHash } from '../../src/block.ts'
import * as calls from '../../src/node/calls.ts'
import { control } from './index.ts'
import recording from './recordings/cometbft.json' with { type: 'json' }
import { startChain, type TestChain } from './testbed.ts'

const { answers } = recording
/** The recorded application's hash is a counter of eight bytes; the local chain's is longer, and in hex as well. */
const APP_HASH = 'another application, another hash'
const NO_VERSION = 'the local application has no version'
const STATUS = { 'sync_info.earliest_app_hash': APP_HASH, 'sync_info.latest_app_hash': APP_HASH }
const ABCI_INFO = { 'response.app_version': NO_VERSION, 'response.version': NO_VERSION }
const BLOCK = { 'block.header.app_hash': APP_HASH, 'block.header.version.app': NO_VERSION }
const COMMIT = { 'signed_header.header.app_hash': APP_HASH, 'signed_header.header.version.app': NO_VERSION }
const upperHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase()

describe('reading', () => {
  it.each(['block_at_height_1', 'block_at_height_10'] as const)('the hashes of %s are those of its content', (name) => {
    const block = calls.block(1n).read(answers[name])
    expect(blockHash(block.header)).toBe(block.hash)
    expect(dataHash(block.transactions)).toBe(upperHex(block.header.dataHash))
  })

  it.each(['subscribe_newblock_0', 'subscribe_newblock_1'] as const)('so are those of %s', (name) => {
    const { block_id, block: told } = answers[name].data.value
    const block = calls.block(1n).read({ block_id, block: told })
    expect(blockHash(block.header)).toBe(block.hash)
    expect(dataHash(block.transactions)).toBe(upperHex(block.header.dataHash))
  })

  it('a header alone has the hash that its commit names', () => {
    const { hash, header } = calls.header(10n).read(answers.commit_at_height_10)
    expect(blockHash(header)).toBe(hash)
    expect(hash).toBe(calls.block(10n).read(answers.block_at_height_10).hash)
  })

  it('a status, an application, results, an answer to a query and a broadcast are read', () => {
    expect(calls.status().read(answers.status)).toMatchObject({
      chainId: 'dockerchain',
      height: 232n,
      isCatchingUp: false,
    })
    expect(calls.committedHeight().read(answers.abci_info)).toBe(198n)
    expect(calls.blockResults(10n).read(answers.block_results_at_height_10)).toEqual({ results: [], blockEvents: [] })
    const asked = calls.abciQuery('', new Uint8Array(), 254n).read(answers.abci_query_with_existing_key)
    expect(asked).toMatchObject({ code: 0, log: 'exists' })
    expect(Buffer.from(asked.value).toString()).toBe('value')
    expect(calls.send(new Uint8Array()).read(answers.broadcast_tx_sync)).toEqual({ code: 0, log: '' })
  })

  it.each(['tx_search_no_prove', 'tx_search_with_prove'] as const)('the heights of %s are read', (name) => {
    expect(calls.search('').read(answers[name])).toEqual(answers[name].txs.map(({ height }) => BigInt(height)))
    for (const { tx, hash } of answers[name].txs) {
      expect(createHash('sha256').update(Buffer.from(tx, 'base64')).digest('hex').toUpperCase()).toBe(hash)
    }
  })
})

describe('the local chain', () => {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startChain()
    await chain.mine(2)
  })
  afterAll(() => chain.local.stop())

  const asked = async (method: string, params: Record<string, unknown> = {}) =>
    (await chain.node.ask([control(method, params)]))[0]

  it.each([
    ['status', {}, answers.status, STATUS],
    ['abci_info', {}, answers.abci_info, ABCI_INFO],
    ['block', { height: '2' }, answers.block_at_height_10, BLOCK],
    ['commit', { height: '2' }, answers.commit_at_height_10, COMMIT],
    ['block_results', { height: '2' }, answers.block_results_at_height_10, {}],
  ])('answers %s in the same form', async (method, params, recorded, except) => {
    expect(shapeDifferences(recorded, await asked(method, params), except)).toEqual([])
  })
})
