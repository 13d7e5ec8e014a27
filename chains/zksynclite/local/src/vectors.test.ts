/**
 * The vectors that the server and all its clients share, checked with the adapter's code and with the double's
 * independent code.
 */
import { type Hex, hashMessage, hexToBytes, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import zk from 'zksync-crypto'
import { AMOUNT, FEE, nextPackable, pack, packable } from '../../src/packing.ts'
import { hashOf, keyChangeBytes, keyChangeMessage, transferBytes, transferText } from '../../src/transaction.ts'
import { loginText, seedOf, zkKeyOf } from '../../src/zk-key.ts'
import { keyChangeRaw, musigKey, nameOf, packed, signedBytes, type TransferOp, transferWords } from './codec.ts'
import vectors from './vectors.json' with { type: 'json' }

interface TransferData {
  accountId: number
  from: string
  to: string
  tokenId: number
  amount: string
  fee: string
  nonce: number
  validFrom: number
  validUntil: number
}
interface Vectors {
  'zk key and musig': {
    input: { seed: Hex; message: Hex }
    output: { pubKey: string; signature: string; pub_key_hash: string }
  }
  'transfer: bytes, musig, Ethereum text and signature': {
    input: { ethPrivateKey: Hex; data: TransferData; ethSignData: { stringToken: string }; login_message: string }
    output: {
      signBytes: Hex
      signature: { pubKey: string; signature: string }
      ethSignMessage: Hex
      ethSignature: Hex
      pub_key_hash: string
      transaction_hash: string
      changed_byte: { at: number; xor: number; verifies: boolean }
    }
  }
  'transfer hash': {
    input: Omit<TransferData, 'tokenId' | 'amount' | 'fee'> & { token: number; amount: number; fee: number }
    output: { bytes: Hex; hash: string }
  }
  'change of the public key (the unlocking transaction)': {
    input: {
      ethPrivateKey: Hex
      data: Omit<TransferData, 'from' | 'to' | 'tokenId' | 'amount'> & {
        account: string
        newPkHash: string
        feeTokenId: number
      }
    }
    output: {
      signBytes: Hex
      signature: { pubKey: string; signature: string }
      ethSignMessage: Hex
      ethSignature: Hex
    }
  }
}
const entry = <Name extends keyof Vectors>(name: Name): Vectors[Name] => {
  const found = vectors.find((one) => one.name === name)
  if (!found) throw new Error(`no vector ${name}`)
  return found as unknown as Vectors[Name]
}
const packings = (kind: string) => vectors.filter(({ name }) => name.startsWith(`${kind} packing`)) as Packing[]
interface Packing {
  input: { value: string }
  output: { packable: boolean; closestPackable: string; packedValue: string }
}

describe.each([
  ['amount', AMOUNT],
  ['fee', FEE],
] as const)('the packing of an %s', (kind, packing) => {
  test.each(packings(kind))('$input.value', ({ input, output }) => {
    const value = BigInt(input.value)
    const closest = BigInt(output.closestPackable)
    expect(packable(value, packing, 'down')).toBe(closest)
    expect(packable(value, packing, 'down') === value).toBe(output.packable)
    expect(toHex(pack(closest, packing))).toBe(output.packedValue)
    expect(toHex(packed(closest, kind))).toBe(output.packedValue)
    if (!output.packable) {
      expect(() => pack(value, packing)).toThrow('cannot be written')
      expect(() => packed(value, kind)).toThrow('not packable')
      expect(packable(value, packing, 'up')).toBeGreaterThan(value)
    }
  })
})

test('the next packable amount is the least that is larger', () => {
  expect(nextPackable(2047n, FEE)).toBe(2050n)
  expect(nextPackable(2046n, FEE)).toBe(2047n)
  expect(nextPackable(0n, FEE)).toBe(1n)
  expect(nextPackable(474_000_000_000n, FEE)).toBe(475_000_000_000n)
})

test('a seed gives its key, and the key its musig, which matches no other bytes', () => {
  const { input, output } = entry('zk key and musig')
  const key = zkKeyOf(hexToBytes(input.seed))
  expect(key.keyHash).toBe(output.pub_key_hash)
  expect(key.sign(hexToBytes(input.message))).toEqual({ pubKey: output.pubKey, signature: output.signature })
})

test('a transfer: bytes, hash, musig, text and both signatures', async () => {
  const { input, output } = entry('transfer: bytes, musig, Ethereum text and signature')
  const { data, ethSignData } = input
  const tx = { ...data, amount: BigInt(data.amount), fee: BigInt(data.fee) }
  const op: TransferOp = { ...data, type: 'Transfer', token: data.tokenId }
  for (const bytes of [transferBytes(tx), signedBytes(op)]) expect(toHex(bytes)).toBe(output.signBytes)
  expect(hashOf(transferBytes(tx))).toBe(output.transaction_hash)
  expect(nameOf(op)).toBe(output.transaction_hash)
  const account = privateKeyToAccount(input.ethPrivateKey)
  expect(loginText(1)).toBe(input.login_message)
  const key = zkKeyOf(seedOf(await account.signMessage({ message: loginText(1) })))
  expect(key.keyHash).toBe(output.pub_key_hash)
  expect(key.sign(transferBytes(tx))).toEqual(output.signature)
  expect(musigKey(op, output.signature)).toBe(output.pub_key_hash)
  const changed = Buffer.from(signedBytes(op))
  changed[output.changed_byte.at] = (changed[output.changed_byte.at] ?? 0) ^ output.changed_byte.xor
  const musig = Buffer.from(output.signature.pubKey + output.signature.signature, 'hex')
  expect(zk.verify_musig(changed, musig)).toBe(output.changed_byte.verifies)
  // The vector's amounts are of a token without decimals.
  const text = transferText(tx, { symbol: ethSignData.stringToken, decimals: 0 })
  expect(toHex(text)).toBe(output.ethSignMessage)
  expect(await account.signMessage({ message: text })).toBe(output.ethSignature)
})

test('the hash of a transfer with times', () => {
  const { input, output } = entry('transfer hash')
  const { token, ...rest } = input
  const tx = { ...rest, tokenId: token, amount: BigInt(input.amount), fee: BigInt(input.fee) }
  expect(toHex(transferBytes(tx))).toBe(output.bytes)
  expect(hashOf(transferBytes(tx))).toBe(output.hash)
  expect(nameOf({ ...input, type: 'Transfer', amount: `${input.amount}`, fee: `${input.fee}` })).toBe(output.hash)
})

test('a change of the key: bytes, musig and what Ethereum’s key signs of it', async () => {
  const { input, output } = entry('change of the public key (the unlocking transaction)')
  const tx = { ...input.data, fee: BigInt(input.data.fee) }
  const op = { ...input.data, feeToken: input.data.feeTokenId, type: 'ChangePubKey' as const }
  for (const bytes of [keyChangeBytes(tx), signedBytes(op)]) expect(toHex(bytes)).toBe(output.signBytes)
  for (const raw of [keyChangeMessage(tx), keyChangeRaw(op)]) expect(toHex(raw)).toBe(output.ethSignMessage)
  const account = privateKeyToAccount(input.ethPrivateKey)
  expect(await account.signMessage({ message: { raw: keyChangeMessage(tx) } })).toBe(output.ethSignature)
  const key = zkKeyOf(seedOf(await account.signMessage({ message: loginText(1) })))
  expect(key.sign(keyChangeBytes(tx))).toEqual(output.signature)
  expect(musigKey(op, output.signature)).toBe(key.keyHash)
})

test('on another Ethereum the text names it, so that the key is another one', () => {
  expect(loginText(11_155_111)).toContain('Chain ID: 11155111.')
  expect(hashMessage(loginText(5))).not.toBe(hashMessage(loginText(1)))
})

test('both implementations encode a transfer alike, including a zero one', () => {
  const op: TransferOp = {
    ...{ type: 'Transfer', accountId: 1, from: `0x${'11'.repeat(20)}`, to: `0x${'aB'.repeat(20)}`, token: 0 },
    ...{ amount: '1500000000000000000', fee: '2000000000000', nonce: 9, validFrom: 0, validUntil: 1 },
  }
  for (const amount of ['1500000000000000000', '0', '3000000000000000000']) {
    const tx = { ...op, tokenId: 0, amount: BigInt(amount), fee: BigInt(op.fee) }
    expect(transferText(tx, { symbol: 'ETH', decimals: 18 })).toBe(transferWords({ ...op, amount }))
  }
  expect(transferWords({ ...op, amount: '0' })).toBe('Fee: 0.000002 ETH\nNonce: 9')
})
