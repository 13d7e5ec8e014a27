import type { Sighting, Token } from '@causeway/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { contractAddress } from '../../src/address.ts'
import { hashOf, type Move, type Transaction } from '../../src/transaction.ts'
import { signedBy } from './account.ts'
import { openTestbed, type Testbed } from './testbed.ts'

let bed: Testbed

beforeEach(async () => {
  bed = await openTestbed()
})

afterEach(() => bed.devnet.stop())

it('a lagging node reports no reorg, and nothing is missed once it has caught up', async () => {
  const { adapter, node, chain, ours } = bed
  const start = await adapter.scan(null, ours)
  await deposit('1')
  chain.mine(3)
  const first = await adapter.scan(start.next, ours)
  node.faults.behind = 5
  const lagging = await adapter.scan(first.next, ours)
  expect(lagging).toMatchObject({ sightings: [], reorgFrom: null, next: first.next })
  expect(lagging.head.number).toBe(BigInt(chain.height - 5))
  const second = await deposit('2')
  node.faults.behind = 0
  const caughtUp = await adapter.scan(lagging.next, ours)
  expect(caughtUp.reorgFrom).toBeNull()
  expect(caughtUp.sightings.map(({ txHash }) => txHash)).toEqual([second])
})

it('a node on another branch is a reorg there and back, and the deposit keeps its identity', async () => {
  const { adapter, node, ours } = bed
  const start = await adapter.scan(null, ours)
  const txHash = await deposit('1')
  const before = await adapter.scan(start.next, ours)
  const landedIn = before.sightings[0]?.block?.number
  expect(node.lead()).toBe(0)
  node.stray(2)
  expect(node.lead()).toBe(1)
  const astray = await adapter.scan(before.next, ours)
  expect(astray.sightings).toEqual([])
  expect(astray.reorgFrom).toBe(landedIn === undefined ? null : landedIn - 1n)
  expect(await adapter.inspect(txHash, ours)).toEqual({ state: 'unknown' })
  node.rejoin()
  const back = await adapter.scan(astray.next, ours)
  expect(back.reorgFrom).toBe(astray.reorgFrom)
  expect(back.sightings).toEqual(before.sightings)
})

it('a deposit that a reorg returns to the mempool lands again under the same identity', async () => {
  const { adapter, chain, ours } = bed
  const start = await adapter.scan(null, ours)
  await deposit('1')
  const before = await adapter.scan(start.next, ours)
  chain.reorg(1, 'returned')
  chain.mine()
  const after = await adapter.scan(before.next, ours)
  expect(after.reorgFrom).toBe(before.scannedTo)
  expect(after.sightings.map(identity)).toEqual(before.sightings.map(identity))
  expect(after.sightings[0]?.block).not.toEqual(before.sightings[0]?.block)
})

it('a reorg deeper than the cursor is reported from the bottom, and everything is scanned again', async () => {
  const { adapter, chain, ours, network } = bed
  chain.mine(50)
  const start = await adapter.scan(null, ours)
  chain.reorg(4 * network.finalDepth)
  const txHash = await deposit('1')
  const { sightings, reorgFrom } = await adapter.scan(start.next, ours)
  expect(reorgFrom).toBe(1n)
  expect(sightings.map((sighting) => sighting.txHash)).toEqual([txHash])
})

it('a long backlog is scanned in bounded ranges', async () => {
  const { adapter, chain, ours } = bed
  const start = await adapter.scan(null, ours)
  chain.mine(150)
  const txHash = await deposit('1')
  const first = await adapter.scan(start.next, ours)
  expect(first.scannedTo).toBe(start.scannedTo + 100n)
  const second = await adapter.scan(first.next, ours)
  expect(second.sightings.map((sighting) => sighting.txHash)).toEqual([txHash])
})

it('a scan whose answer was lost is the same when asked again', async () => {
  const { adapter, node, ours } = bed
  const start = await adapter.scan(null, ours)
  const txHash = await deposit('1')
  node.faults.lostAnswers = 1
  await expect(adapter.scan(start.next, ours)).rejects.toThrow('lost')
  const { sightings } = await adapter.scan(start.next, ours)
  expect(sightings.map((sighting) => sighting.txHash)).toEqual([txHash])
})

it('a chain that changes between two calls of one scan loses no deposit', async () => {
  const { adapter, node, chain, ours } = bed
  const start = await adapter.scan(null, ours)
  await deposit('1')
  const before = await adapter.scan(start.next, ours)
  chain.reorg(1, 'returned')
  let calls = 0
  node.hooks = {
    afterCall: () => {
      if (++calls === 2) {
        chain.reorg(4)
        chain.mine()
      }
    },
  }
  const during = await adapter.scan(before.next, ours)
  node.hooks = {}
  const after = await adapter.scan(during.next, ours)
  const seen = [...during.sightings, ...after.sightings]
  expect(seen.map(identity)).toEqual(before.sightings.map(identity))
})

it('only a plain decimal memo is a reference', async () => {
  for (const memo of ['007', '1 ', '0x1', '-1', '1.0', '', 'hello', '99999999999999999999']) {
    expect((await sightedBy(await send(memo, [toUs(5n)])))[0]?.reference, memo).toBeNull()
  }
  expect((await sightedBy(await send('42', [toUs(5n)])))[0]?.reference).toBe(42n)
})

it('one memo over several transfers refers to none of them', async () => {
  const sightings = await sightedBy(await send('42', [toUs(5n), toUs(6n)]))
  expect(sightings.map(({ index, amount, reference }) => [index, amount.units, reference])).toEqual([
    [0, 5n, null],
    [1, 6n, null],
  ])
})

it('a token that is not listed and a transfer of nothing are no deposits', async () => {
  const { chain, user } = bed
  const contract = contractAddress('not listed')
  chain.mint(user.address, contract, 100n)
  expect(await sightedBy(await send('42', [{ ...toUs(5n), contract }]))).toEqual([])
  expect(await sightedBy(await send('42', [toUs(0n)]))).toEqual([])
})

it('a deposit that reverted is failed, and not sighted', async () => {
  const { adapter, chain, ours, treasury } = bed
  const start = await adapter.scan(null, ours)
  chain.blocked.add(treasury)
  const txHash = await send('42', [toUs(5n)])
  expect(await adapter.inspect(txHash, ours)).toMatchObject({ state: 'failed', confirmations: 1 })
  expect((await adapter.scan(start.next, ours)).sightings).toEqual([])
})

function toUs(units: bigint, token: Token = bed.native): Move {
  return { from: bed.user.address, to: bed.treasury, contract: token.contract, units }
}

function deposit(memo: string): Promise<string> {
  return send(memo, [toUs(5n)])
}

async function send(memo: string, moves: Move[]): Promise<string> {
  const { chain, user, network } = bed
  const transaction: Transaction = {
    network: network.name,
    account: user.address,
    nonce: chain.nonce(user.address),
    fee: chain.feePerMove * BigInt(moves.length),
    memo,
    moves,
  }
  expect(chain.submit(signedBy(transaction, user))).toBe('accepted')
  chain.mine()
  return hashOf(transaction)
}

async function sightedBy(txHash: string): Promise<Sighting[]> {
  const inspection = await bed.adapter.inspect(txHash, bed.ours)
  if (inspection.state !== 'included') throw new Error(`${txHash} is ${inspection.state}`)
  return inspection.sightings
}

function identity({ txHash, index }: Sighting): string {
  return `${txHash}/${index}`
}
