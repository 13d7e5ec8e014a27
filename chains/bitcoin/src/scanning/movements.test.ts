/** A movement of our wallet is a transaction that spent its UTXOs: our key shown with a foreign UTXO proves nothing. */
import { callNode } from '@causeway/chain-kit'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { publicKeyAddress, publicKeyScript } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { CHAINS } from '../settings.ts'
import { parseTransaction } from '../transaction.ts'
import { movements } from './movements.ts'

const { prefixes } = CHAINS.regtest
const network = sampleNetwork([{ symbol: 'BTC', contract: null, decimals: 8 }], {
  name: 'BITCOIN_REGTEST',
  type: 'bitcoin',
})
const key = secp256k1.getPublicKey(Uint8Array.from(Array<number>(32).fill(7)), true)
const treasury = publicKeyAddress(key, prefixes)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Spends one foreign UTXO to a foreign address, with these two witness items. */
function spending(coin: string, witness: readonly Uint8Array[]) {
  const to = `160014${'ab'.repeat(20)}`
  const items = witness.map((item) => `${item.length.toString(16).padStart(2, '0')}${hex(item)}`).join('')
  return parseTransaction(
    `02000000000101${coin}00000000` + `00ffffffff01${'00ca9a3b00000000'}${to}0${witness.length}${items}00000000`,
  )
}

test('a foreign transaction that shows our public key for an anyone-can-spend coin has not spent ours', async () => {
  const coin = '11'.repeat(32)
  // An output of a later witness version: today's rules let any witness spend it (BIP 141).
  const script = Uint8Array.from([0x52, 0x20, ...Array<number>(32).fill(9)])
  const forged = spending(coin, [Uint8Array.from([1]), key])
  const node = callNode('node', async (calls) =>
    calls.map(({ method }) => {
      if (method === 'getblockchaininfo') return { chain: 'regtest', height: 5, hash: 'b5' }
      if (method === 'getblockhash') return 'b5'
      if (method === 'getblock') return { hash: 'b5', parent: 'b4', transactions: [forged] }
      return { txid: coin, outputs: [{ script, units: 1_000_000_000n }] }
    }),
  )
  const rpc = { use: (work: (one: typeof node) => unknown) => work(node) }
  const chain = { network, prefixes, treasury, rpc } as unknown as BitcoinChain
  expect(hex(publicKeyScript(key))).not.toBe(hex(script))
  const found = await movements(chain, treasury, 5n, 5n)
  expect(found.filter(({ slot }) => slot !== null)).toEqual([])
})
