/** Fixed vectors of hashes, assets, keys and signatures, held by the adapter's code, by the double's, and by StarkWare's library. */

import { pedersen } from '@scure/starknet'
import stark from '@starkware-industries/starkware-crypto-utils'
import { describe, expect, test } from 'vitest'
import { mnemonicSigner } from '../../../../server/src/keys/mnemonic.ts'
import { groundKey, starkPublicKey, starkSign } from '../../../../server/src/keys/stark.ts'
import { assetId } from '../../src/asset.ts'
import { starkPath } from '../../src/keys.ts'
import { messageHash, type TransferMessage } from '../../src/message.ts'
import { isSignedBy } from '../../src/signature.ts'
import { assetOf, transferHash } from './codec.ts'
import { isSigned, pedersenHash } from './curve.ts'
import vectors from './vectors.json' with { type: 'json' }

// biome-ignore lint/suspicious/noExplicitAny: a file of fixed data, each entry of its own shape
type Vector = { id: string; kind: string; input: any; output: any }
const of = (kind: string) => (vectors as Vector[]).filter((vector) => vector.kind === kind)
const hex = (value: bigint) => `0x${value.toString(16)}`
const word = (value: string) => Uint8Array.from(Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex'))

test.each(of('pedersen'))('$id', ({ input: [a, b], output }) => {
  expect(hex(BigInt(pedersen(BigInt(a), BigInt(b))))).toBe(output)
  expect(hex(pedersenHash(BigInt(a), BigInt(b)))).toBe(output)
})

const messageOf = (input: Vector['input']): TransferMessage => ({
  ...{ senderVault: BigInt(input.sender_vault_id), receiverVault: BigInt(input.receiver_vault_id) },
  ...{ receiverKey: BigInt(input.receiver_public_key), asset: BigInt(input.token), quanta: BigInt(input.amount) },
  ...{ nonce: Number(input.nonce), expiryHour: Number(input.expiration_timestamp) },
})
const requestOf = (input: Vector['input']) => ({
  ...{ amount: input.amount, asset_id: input.token, expiration_timestamp: input.expiration_timestamp },
  ...{ nonce: input.nonce, receiver_stark_key: input.receiver_public_key },
  ...{ receiver_vault_id: input.receiver_vault_id, sender_vault_id: input.sender_vault_id },
})
const theirs = (input: Vector['input']) =>
  stark.getTransferMsgHash(
    ...[input.amount, input.nonce, input.sender_vault_id, input.token, input.receiver_vault_id],
    ...[input.receiver_public_key, input.expiration_timestamp],
  )

describe('the hash of a transfer', () => {
  const [plain] = of('starkex_transfer').filter(({ input }) => input.condition === undefined)
  if (!plain) throw new Error('no vector')

  test('is the published one', () => {
    expect(hex(messageHash(messageOf(plain.input)))).toBe(plain.output)
    expect(hex(transferHash(requestOf(plain.input)))).toBe(plain.output)
  })

  test('is that of StarkWare’s library for other messages too, by both codes', () => {
    for (const changes of [
      { amount: '1', nonce: '0', sender_vault_id: '1000' },
      { amount: '9223372036854775807', nonce: '2147483647', expiration_timestamp: '4194303' },
      { receiver_vault_id: '2147483647', amount: '0' },
    ]) {
      const input = { ...plain.input, ...changes }
      const expected = hex(BigInt(`0x${theirs(input).replace(/^0x/, '')}`))
      expect(hex(messageHash(messageOf(input)))).toBe(expected)
      expect(hex(transferHash(requestOf(input)))).toBe(expected)
    }
  })

  test('is refused for what does not fit', () => {
    for (const changes of [
      { amount: '9223372036854775808' },
      { nonce: '2147483648' },
      { sender_vault_id: '2147483648' },
      { expiration_timestamp: '4194304' },
    ]) {
      const input = { ...plain.input, ...changes }
      expect(() => messageHash(messageOf(input))).toThrow('does not fit')
      expect(() => transferHash(requestOf(input))).toThrow('too large')
    }
  })

  test('is another one with a fee or a condition: what is signed here is neither', () => {
    const others = [...of('starkex_transfer_fee'), ...of('starkex_transfer').filter(({ input }) => input.condition)]
    for (const { output } of others) expect(output).not.toBe(plain.output)
  })
})

test.each(of('starkex_asset_id'))('$id', ({ input: { type, data }, output }) => {
  const contract = type === 'ETH' ? null : data.tokenAddress
  expect(hex(assetId(contract, BigInt(data.quantum)))).toBe(output)
  expect(assetOf(contract, BigInt(data.quantum))).toBe(output)
})

test.each(of('public_key'))('$id', ({ input, output }) => {
  expect(hex(BigInt(`0x${Buffer.from(starkPublicKey(word(input))).toString('hex')}`))).toBe(output)
})

test.each(of('grind_key'))('$id', ({ input, output }) => {
  expect(hex(BigInt(`0x${Buffer.from(groundKey(word(input))).toString('hex')}`))).toBe(output)
})

test.each(of('signature'))('$id', ({ input, output }) => {
  const signed = Buffer.from(starkSign(word(input.private_key), word(input.hash))).toString('hex')
  const [r, s] = [BigInt(`0x${signed.slice(0, 64)}`), BigInt(`0x${signed.slice(64)}`)]
  expect({ r: hex(r), s: hex(s) }).toEqual(output)
  const key = BigInt(`0x${Buffer.from(starkPublicKey(word(input.private_key))).toString('hex')}`)
  for (const check of [isSignedBy, isSigned]) {
    expect(check(key, BigInt(input.hash), { r, s })).toBe(true)
    expect(check(key, BigInt(input.hash) + 1n, { r, s })).toBe(false)
    expect(check(key, BigInt(input.hash), { r, s: s + 1n })).toBe(false)
  }
})

test.each(of('signature_valid'))('$id', ({ input, output }) => {
  const signature = { r: BigInt(input.r), s: BigInt(input.s) }
  for (const check of [isSignedBy, isSigned]) {
    expect(check(BigInt(input.public_key), BigInt(input.hash), signature)).toBe(output)
  }
})

test.each(of('starkex_path'))('$id', ({ input, output }) => {
  expect(starkPath(input.application, input.eth_address, input.index)).toBe(output)
})

test.each(of('starkex_key_from_mnemonic'))('$id', async ({ input, output }) => {
  const expected = starkPublicKey(word(output))
  const found = await mnemonicSigner(input.mnemonic).publicKey({ curve: 'stark', path: input.path })
  expect(Buffer.from(found).toString('hex')).toBe(Buffer.from(expected).toString('hex'))
})
