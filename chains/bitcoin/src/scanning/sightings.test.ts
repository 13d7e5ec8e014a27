/** Whose money a payment is, and which payments are not credited automatically. */
import { callNode } from '@causeway/chain-kit'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { CHAINS } from '../settings.ts'
import type { Transaction } from '../transaction.ts'
import { sightingsIn } from './sightings.ts'

const { prefixes } = CHAINS.regtest
const network = sampleNetwork([{ symbol: 'BTC', contract: null, decimals: 8 }], {
  name: 'BITCOIN_REGTEST',
  type: 'bitcoin',
})
/** Pays to a hash derived from this number. */
const scriptOf = (n: number) => Uint8Array.from([0x00, 0x14, ...Array<number>(18).fill(7), n >> 8, n & 255])
const nameOf = (n: number) => addressOf(scriptOf(n), prefixes) ?? ''
const OURS = 9_000
const chain = { network, prefixes, treasury: nameOf(9_001) } as unknown as BitcoinChain

/** Its inputs spend one UTXO of each person, numbered from 0. */
function paying(inputs: number, ...units: bigint[]): Transaction {
  return {
    txid: 'paying',
    inputs: Array.from({ length: inputs }, (_, n) => ({ txid: `coin ${n}`, vout: 0 })),
    keys: [],
    outputs: units.map((each) => ({ script: scriptOf(OURS), units: each })),
    isSignedWhole: true,
    vsize: 1,
  }
}

const node = callNode('node', async (calls) =>
  calls.map(({ params }) => {
    const [txid] = params as [string]
    return { txid, outputs: [{ script: scriptOf(Number(txid.split(' ')[1])), units: 1n }] }
  }),
)
const seen = (transaction: Transaction) =>
  sightingsIn(chain, node, [{ transaction, block: null }], staticWatchlist(nameOf(OURS)))

test('a listed sender does not hide behind a hundred others', async () => {
  const [only] = await seen(paying(1_500, 50_000n))
  expect(only?.fundingAddresses).toHaveLength(1_500)
  expect(only?.fundingAddresses).toContain(nameOf(1_499))
  expect(only).not.toHaveProperty('doubt')
})

test('a payment with more senders than can be looked up is not credited automatically', async () => {
  const [only] = await seen(paying(2_001, 50_000n))
  expect(only).toMatchObject({ refundableSender: null, doubt: 'it has more senders than can be looked up' })
})

test('a payment in pieces barely worth spending is not credited automatically; a single small one is', async () => {
  const pieces = await seen(paying(1, ...Array<bigint>(300).fill(600n)))
  expect(pieces).toHaveLength(300)
  expect(new Set(pieces.map(({ doubt }) => doubt))).toEqual(new Set(['it comes in pieces that are too small to spend']))
  for (const whole of [[600n], [10_000n, 10_000n]]) {
    for (const sighting of await seen(paying(1, ...whole))) expect(sighting).not.toHaveProperty('doubt')
  }
})
