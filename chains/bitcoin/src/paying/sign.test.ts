/** Transactions are read and signed as the public chains do it: the genesis block, and the P2WPKH example of BIP 143. */
import type { SigningIntent } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { Transaction } from '@scure/btc-signer'
import { describe, expect, it } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { CHAINS } from '../settings.ts'
import { parseBlock, parseTransaction } from '../transaction.ts'
import { derOf, digestOf, signTransaction } from './sign.ts'
import { sizeOf } from './size.ts'

const GENESIS =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a' +
  '51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c0101000000010000000000000000000000000000000000000000000000000000000000' +
  '000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b' +
  '206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a671' +
  '30b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'

const BIP143_UNSIGNED =
  '0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d279' +
  '655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a78' +
  '3a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000'
const BIP143_KEY = '619c335025c7f4012e556c2a58b2506e30b8511b53ade95ea316fd8c3286feb9'
const BIP143_DIGEST = 'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670'
const BIP143_SIGNATURE =
  '304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f519' +
  '28d43c212a8caed02de67eebee'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('reading', () => {
  it('the genesis block is the one that every chain check names', () => {
    const { hash, parent, transactions } = parseBlock(GENESIS)
    expect(hash).toBe(CHAINS.main.genesis)
    expect(parent).toBe('0'.repeat(64))
    expect(transactions).toHaveLength(1)
    expect(transactions[0]).toMatchObject({
      txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
      inputs: null,
    })
    expect(transactions[0]?.outputs[0]?.units).toBe(5_000_000_000n)
  })

  it('bytes that are cut off, or go on, are no transaction', () => {
    expect(() => parseTransaction(BIP143_UNSIGNED.slice(0, -2))).toThrow(RangeError)
    expect(() => parseTransaction(`${BIP143_UNSIGNED}00`)).toThrow(RangeError)
    expect(() => parseTransaction(BIP143_UNSIGNED.slice(1))).toThrow(RangeError)
  })
})

describe('signing', () => {
  const secret = bytes(BIP143_KEY)
  const publicKey = secp256k1.getPublicKey(secret, true)
  const recovered = secp256k1.sign(bytes(BIP143_DIGEST), secret, { prehash: false, format: 'recovered' })
  const signature = Uint8Array.from([...recovered.slice(1), recovered[0] ?? 0])

  it('the digest of BIP 143 is what BIP 143 says', () => {
    const transaction = Transaction.fromRaw(bytes(BIP143_UNSIGNED))
    expect(Buffer.from(digestOf(transaction, 1, publicKey, 600_000_000n)).toString('hex')).toBe(BIP143_DIGEST)
  })

  it('the signature of BIP 143 is what BIP 143 says', () => {
    const der = derOf(signature, bytes(BIP143_DIGEST), publicKey)
    expect(Buffer.from(der).toString('hex')).toBe(BIP143_SIGNATURE)
  })

  it('a signature of another key, of something else, or in the high form is refused', () => {
    const digest = bytes(BIP143_DIGEST)
    const other = secp256k1.getPublicKey(bytes('11'.repeat(32)), true)
    expect(() => derOf(signature, digest, other)).toThrow('not a low-s signature')
    expect(() => derOf(signature, bytes('22'.repeat(32)), publicKey)).toThrow('not a low-s signature')
    const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`)
    const high = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0')
    const flipped = Uint8Array.from([...signature.subarray(0, 32), ...bytes(high), 0])
    expect(() => derOf(flipped, digest, publicKey)).toThrow('not a low-s signature')
  })

  it('our own transactions decode, and are no larger than the size their fee was computed for', async () => {
    const signer = testSigner('size')
    const key = { curve: 'secp256k1', path: 'm/0' } as const
    const inputs = [1, 2, 3].map((vout) => ({ txid: '11'.repeat(32), vout, units: 50_000n, key }))
    const scripts = [bytes(`0014${'07'.repeat(20)}`), bytes(`0020${'07'.repeat(32)}`)]
    const outputs = scripts.map((script) => ({ script, units: 9n }))
    const intent: SigningIntent = { network: 'x', order: { kind: 'transfers', account: 'x', transfers: [] }, slot: [] }
    const signed = await signTransaction({ inputs, outputs, signer, intent })
    const read = parseTransaction(signed.bytes)
    expect(read.txid).toBe(signed.hash)
    expect(read.inputs).toEqual(inputs.map(({ txid, vout }) => ({ txid, vout })))
    expect(read.outputs.map(({ units }) => units)).toEqual([9n, 9n])
    const reckoned = Number(sizeOf(3, [22, 34]))
    expect(read.vsize).toBeLessThanOrEqual(reckoned)
    expect(read.vsize).toBeGreaterThan(reckoned - 3)
  })
})
