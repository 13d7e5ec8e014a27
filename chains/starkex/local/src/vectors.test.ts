/** Fixed vectors of hashes, assets, keys and signatures, held by the adapter's code, by the double's, and by StarkWare's library. */

import { pedersen } from '@scure/starknet'
import stark from '@starkware-industries/starkware-crypto-utils'
import { describe, expect, test } from 'vitest'
import { groundKey, starkPublicKey, starkSign } from '../../../../server/src/keys/curves/stark.ts'
import { mnemonicSigner } from '../../../../server/src/keys/keystore/mnemonic.ts'
import { assetId } from '../../src/asset.ts'
import { starkPath } from '../../src/paying/treasury.ts'
import { isSignedBy } from '../../src/signature.ts'
import { messageHash, type TransferMessage } from '../../src/transaction.ts'
import { assetOf, transferHash } from './codec.ts'
import { isSigned, pedersenHash } from './curve.ts'
import vectors from './vectors.json' with { type: 'json' }

interface Vector<Input, Output = string> {
  id: string
  kind: string
  input: Input
  output: Output
}
interface Transfer {
  amount: string
  nonce: string
  sender_vault_id: string
  token: string
  receiver_vault_id: string
  receiver_public_key: string
  expiration_timestamp: string
  condition?: string
}
function of<Input, Output = string>(kind: string): Vector<Input, Output>[] {
  return vectors.filter((vector) => vector.kind === kind) as unknown as Vector<Input, Output>[]
}
const hex = (value: bigint) => `0x${value.toString(16)}`
const word = (value: string) => Uint8Array.from(Buffer.from(BigInt(value).toString(16).padStart(64, '0'), 'hex'))

test.each(of<[string, string]>('pedersen'))('$id', ({ input: [a, b], output }) => {
  expect(hex(BigInt(pedersen(BigInt(a), BigInt(b))))).toBe(output)
  expect(hex(pedersenHash(BigInt(a), BigInt(b)))).toBe(output)
})

const messageOf = (input: Transfer): TransferMessage => ({
  ...{ senderVault: BigInt(input.sender_vault_id), receiverVault: BigInt(input.receiver_vault_id) },
  ...{ receiverKey: BigInt(input.receiver_public_key), asset: BigInt(input.token), quanta: BigInt(input.amount) },
  ...{ nonce: Number(input.nonce), expiryHour: Number(input.expiration_timestamp) },
})
const requestOf = (input: Transfer) => ({
  ...{ amount: input.amount, asset_id: input.token, expiration_timestamp: input.expiration_timestamp },
  ...{ nonce: input.nonce, receiver_stark_key: input.receiver_public_key },
  ...{ receiver_vault_id: input.receiver_vault_id, sender_vault_id: input.sender_vault_id },
})
const theirs = (input: Transfer) =>
  stark.getTransferMsgHash(
    input.amount,
    Number(input.nonce),
    Number(input.sender_vault_id),
    input.token,
    Number(input.receiver_vault_id),
    input.receiver_public_key,
    Number(input.expiration_timestamp),
  ) as string

describe('the hash of a transfer', () => {
  const [plain] = of<Transfer>('starkex_transfer').filter(({ input }) => input.condition === undefined)
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
    const others = [
      ...of<Transfer>('starkex_transfer_fee'),
      ...of<Transfer>('starkex_transfer').filter(({ input }) => input.condition),
    ]
    for (const { output } of others) expect(output).not.toBe(plain.output)
  })
})

test.each(of<{ type: string; data: { quantum: string; tokenAddress?: string } }>('starkex_asset_id'))(
  '$id',
  ({ input: { type, data }, output }) => {
    const contract = type === 'ETH' ? null : (data.tokenAddress ?? '')
    expect(hex(assetId(contract, BigInt(data.quantum)))).toBe(output)
    expect(assetOf(contract, BigInt(data.quantum))).toBe(output)
  },
)

test.each(of<string>('public_key'))('$id', ({ input, output }) => {
  expect(hex(BigInt(`0x${Buffer.from(starkPublicKey(word(input))).toString('hex')}`))).toBe(output)
})

test.each(of<string>('grind_key'))('$id', ({ input, output }) => {
  expect(hex(BigInt(`0x${Buffer.from(groundKey(word(input))).toString('hex')}`))).toBe(output)
})

test.each(of<{ private_key: string; hash: string }, { r: string; s: string }>('signature'))(
  '$id',
  ({ input, output }) => {
    const signed = Buffer.from(starkSign(word(input.private_key), word(input.hash))).toString('hex')
    const [r, s] = [BigInt(`0x${signed.slice(0, 64)}`), BigInt(`0x${signed.slice(64)}`)]
    expect({ r: hex(r), s: hex(s) }).toEqual(output)
    const key = BigInt(`0x${Buffer.from(starkPublicKey(word(input.private_key))).toString('hex')}`)
    for (const check of [isSignedBy, isSigned]) {
      expect(check(key, BigInt(input.hash), { r, s })).toBe(true)
      expect(check(key, BigInt(input.hash) + 1n, { r, s })).toBe(false)
      expect(check(key, BigInt(input.hash), { r, s: s + 1n })).toBe(false)
    }
  },
)

test.each(of<{ hash: string; public_key: string; r: string; s: string }, boolean>('signature_valid'))(
  '$id',
  ({ input, output }) => {
    const signature = { r: BigInt(input.r), s: BigInt(input.s) }
    for (const check of [isSignedBy, isSigned]) {
      expect(check(BigInt(input.public_key), BigInt(input.hash), signature)).toBe(output)
    }
  },
)

test.each(of<{ application: string; eth_address: string; index: number }>('starkex_path'))(
  '$id',
  ({ input, output }) => {
    expect(starkPath(input.application, input.eth_address, input.index)).toBe(output)
  },
)

test.each(of<{ mnemonic: string; path: string }>('starkex_key_from_mnemonic'))('$id', async ({ input, output }) => {
  const expected = starkPublicKey(word(output))
  const found = await mnemonicSigner(input.mnemonic).publicKey({ curve: 'stark', path: input.path })
  expect(Buffer.from(found).toString('hex')).toBe(Buffer.from(expected).toString('hex'))
})
