/** A payout may be paid again only if every node proves the first attempt invalid. */

import type { TransferStatus } from '@causeway/core'
import { RetryLater } from '@causeway/core'
import { expect, test } from 'vitest'
import { networkOf } from '../../../../core/src/fixtures.ts'
import { NodeFailure, poolNodes } from './nodes.ts'
import { quorumStatus } from './quorum-read.ts'

const network = networkOf({ finalDepth: 12 })
const { finalDepth } = network

const landed = (state: 'included' | 'reverted', confirmations = finalDepth, hash = '0xa'): TransferStatus => ({
  ...{ state, confirmations, block: { number: 7n, hash }, feeUnits: 1n },
})
const dead = (usedBy: string): TransferStatus => ({
  state: 'dead',
  evidence: { usedBy, block: { number: 7n, hash: '0xa' }, reason: 'used' },
})

/** The status that results if these are the answers of all nodes. */
function heard(says: readonly (TransferStatus | null)[], quorum = 1) {
  const asked: string[] = []
  const rpc = poolNodes({
    network: network.name,
    nodes: says.map((said, place) => ({ name: `node${place}.example`, said })),
    verify: async () => {},
    log: { info() {}, warn() {}, error() {} },
    now: () => 0,
  })
  const first = says[0] ?? landed('reverted')
  const told = quorumStatus({ network: { ...network, quorum }, rpc }, first, async ({ name, said }) => {
    asked.push(name)
    if (!said) throw new NodeFailure('away')
    return said
  })
  return { told, asked }
}

test('what failed on all of them has failed, as deep as the one that sees it least', async () => {
  const { told } = heard([landed('reverted', finalDepth + 9), landed('reverted', 2), landed('reverted')])
  expect(await told).toEqual(landed('reverted', 2))
})

test('if one node shows the payout as made it is made, but with a quorum one is not enough', async () => {
  const says = [landed('reverted'), landed('reverted'), landed('included', 3)]
  expect(await heard(says).told).toEqual(landed('included', 3))
  await expect(heard(says, 2).told).rejects.toThrow(RetryLater)
})

test('what one of them does not know, shows elsewhere or has no answer to has not failed', async () => {
  for (const other of [{ state: 'unknown' } as const, landed('reverted', finalDepth, '0xb'), null])
    await expect(heard([landed('reverted'), other]).told).rejects.toThrow(RetryLater)
})

test('if nodes disagree whether or by what it was invalidated, it may still land', async () => {
  expect(await heard([dead('0x1'), dead('0x1')]).told).toEqual(dead('0x1'))
  for (const other of [{ state: 'unknown' } as const, dead('0x2')])
    expect(await heard([dead('0x1'), other]).told).toEqual({ state: 'unknown' })
})

test('a status that frees no slot, or is not final, needs no other node', async () => {
  for (const seen of [landed('included'), landed('reverted', finalDepth - 1), { state: 'pending' } as const]) {
    const { told, asked } = heard([seen, landed('included')])
    expect(await told).toBe(seen)
    expect(asked).toEqual([])
  }
})
