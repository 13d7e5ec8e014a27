/** If money depends on an answer, providers must agree, not URLs. */

import type { Inspection, Sighting, Token } from '@causeway/core'
import { RetryLater } from '@causeway/core'
import { expect, test } from 'vitest'
import { inspectionKey, poolNodes } from './nodes.ts'
import { countProviders } from './provider.ts'

/** Each node is named by its host and gives its configured answer. */
function poolOf(says: Record<string, string>, quorum = 2) {
  const asked: string[] = []
  const pool = poolNodes({
    network: 'BASE_MAINNET',
    nodes: Object.keys(says).map((name) => ({ name })),
    verify: async () => {},
    quorum,
    log: { info() {}, warn() {}, error() {} },
    now: () => 0,
  })
  const agreed = () =>
    pool.agreed(
      async ({ name }) => {
        asked.push(name)
        return says[name] ?? ''
      },
      (answer) => answer,
    )
  const agreedByTwo = () =>
    pool.agreedByTwo(
      async ({ name }) => says[name] ?? '',
      (answer) => answer,
    )
  return { agreed, agreedByTwo, asked, pool }
}

test('two URLs of one provider that agree count as one vote', async () => {
  const lying = poolOf({ 'rpc.one.example': 'lie', 'rpc.one.example:8443': 'lie', 'rpc.two.example': 'truth' })
  await expect(lying.agreed()).rejects.toThrow(RetryLater)
  await expect(lying.agreed()).rejects.toThrow('they differ')
  const alone = poolOf({ 'rpc.one.example': 'same', 'rpc.one.example.:8443': 'same' })
  await expect(alone.agreed()).rejects.toThrow('fewer than 2 providers')
})

test('nodes of different providers are asked first, and equal answers decide', async () => {
  const { agreed, asked, pool } = poolOf({
    'rpc.one.example': 'truth',
    'rpc.one.example:8443': 'truth',
    'rpc.two.example': 'truth',
  })
  expect(await agreed()).toBe('truth')
  expect(asked).toEqual(['rpc.one.example', 'rpc.two.example'])
  expect(pool.health().map(({ differed }) => differed)).toEqual([0, 0, 0])
})

test('the ports of this machine are programs of their own', async () => {
  expect(await poolOf({ '127.0.0.1:8545': 'same', '127.0.0.1:8546': 'same' }).agreed()).toBe('same')
  expect(
    countProviders(['http://127.0.0.1:1', 'http://127.0.0.1:2', 'https://a.example', 'https://A.example:444/k']),
  ).toBe(3)
})

test('without a quorum two providers must agree where one alone must not decide, if two are named', async () => {
  const differ = poolOf({ 'one.example': 'lie', 'two.example': 'truth' }, 1)
  expect(await differ.agreed()).toBe('lie')
  await expect(differ.agreedByTwo()).rejects.toThrow('they differ')
  const three = poolOf({ 'one.example': 'lie', 'two.example': 'truth', 'three.example': 'truth' }, 1)
  expect(await three.agreedByTwo()).toBe('truth')
  expect(three.pool.health().map(({ differed }) => differed)).toEqual([1, 0, 0])
  expect(await poolOf({ 'one.example': 'only', 'one.example:8443': 'other' }, 1).agreedByTwo()).toBe('only')
  await expect(
    poolOf({ 'one.example': 'a', 'two.example': 'a', 'three.example': 'b' }, 3).agreedByTwo(),
  ).rejects.toThrow('they differ')
})

test('of equal answers the most cautious one is used', async () => {
  const depths: Record<string, number> = { 'one.example': 32, 'two.example': 5 }
  const { pool } = poolOf({ 'one.example': '', 'two.example': '' })
  const found = (name: string) => ({ state: 'included', confirmations: depths[name] ?? 0 })
  expect(
    await pool.agreed(
      async ({ name }) => found(name),
      () => 'the same',
    ),
  ).toEqual(found('two.example'))
  const heard = async ({ name }: { name: string }) => ({ state: name === 'one.example' ? 'unknown' : 'pending' })
  expect(await pool.agreed(heard, () => 'waits')).toEqual({ state: 'pending' })
})

const NATIVE = { network: 'X', symbol: 'X', contract: null, decimals: 9 } as Token

function shown(changes: Partial<Sighting>, block = { number: 7n, hash: 'b' }): Inspection {
  const amount = { token: NATIVE, units: 5n }
  const whole = {
    txHash: 'h',
    index: 0,
    block,
    refundableSender: null,
    fundingAddresses: ['a', 'b'],
    to: 't',
    amount,
    reference: 1n,
  }
  return { state: 'included', block, confirmations: 1, sightings: [{ ...whole, ...changes }] }
}

test.each<[string, Inspection]>([
  ['who is screened', shown({ fundingAddresses: ['a'] })],
  ['who is paid back', shown({ refundableSender: 'a' })],
  ['a doubt', shown({ doubt: 'why' })],
  ['that it counts when final only', shown({ requiresFinality: true })],
  ['what came', shown({ amount: { token: NATIVE, units: 6n } })],
  ['the height of the block', shown({}, { number: 1n, hash: 'b' })],
])('nodes must agree on %s', (_, other) => {
  expect(inspectionKey(other)).not.toBe(inspectionKey(shown({})))
})

test('nodes need not agree on the order of senders, nor on how far each has come', () => {
  expect(inspectionKey({ ...shown({ fundingAddresses: ['b', 'a'] }), confirmations: 9 } as Inspection)).toBe(
    inspectionKey(shown({})),
  )
  expect(inspectionKey({ state: 'unknown' })).toBe(inspectionKey({ state: 'pending', sightings: [] }))
})
