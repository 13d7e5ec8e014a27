/** Untrusted bytes: decoding takes work in proportion to their length, and no more. */
import { expect, it } from 'vitest'
import { readFields, writeFields } from '../../src/protobuf.ts'
import { readTransaction } from '../../src/transaction.ts'

const SETTINGS = { prefix: 'osmo', key: 'secp256k1' } as const
const repeated = (times: number) => writeFields({ 1: Array.from({ length: times }, () => 'x') })

it('a field repeated ten thousand times is read, one more is rejected', () => {
  expect(readFields(repeated(10_000)).all(1)).toHaveLength(10_000)
  expect(() => readFields(repeated(10_001))).toThrow('more fields')
})

it('a transaction with too many messages is rejected, however long it is', () => {
  const auth = writeFields({ 2: writeFields({ 2: 1n }) })
  const messages = (times: number) => writeFields({ 1: Array.from({ length: times }, () => new Uint8Array()) })
  const transaction = (times: number) => readTransaction(writeFields({ 1: messages(times), 2: auth }), SETTINGS)
  expect(transaction(10_000)?.messages).toHaveLength(10_000)
  expect(transaction(20_000)).toBeNull()
})
