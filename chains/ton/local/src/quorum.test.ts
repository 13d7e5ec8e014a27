/** With a quorum of two, a node that lies or lags moves no money, backs off and is reported. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { forward, type Reply } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { draw, ended, payment, startChain, startProxy, type Testbed } from './testbed.ts'

const TON = 1_000_000_000n
let bed: Testbed
let hash: string
/** The treasury as seen by a node that has been stuck since before the deposit. */
let before: Reply
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  bed = await startChain()
  await bed.local.transfer(bed.user, bed.native, bed.treasury, TON)
  before = await stateOfTreasury()
  hash = await bed.local.transfer(bed.user, bed.native, bed.treasury, 2n * TON)
  await eventually(async () => (await bed.adapter.inspect(hash, ours())).state === 'included', 'the deposit')
})
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await bed.local.stop()
})

const ours = () => staticWatchlist(bed.treasury)
const stateOfTreasury = () =>
  forward(bed.url, { id: '1', method: 'getAddressInformation', params: { address: bed.treasury } })

async function node(answer: (method: string) => Reply | undefined = () => undefined): Promise<string> {
  const proxy = await startProxy(bed.url, ({ method, params }) =>
    params.address === bed.treasury ? answer(method) : undefined,
  )
  stops.push(proxy.stop)
  return proxy.url
}

/** A node on which the treasury's last transaction is before the deposit. */
const standing = (then: Reply) => node((method) => (method === 'getAddressInformation' ? then : undefined))

const agreeing = async (...nodes: Promise<string>[]) => bed.open({ nodes: await Promise.all(nodes), quorum: 2 })

test('a deposit that only one of two nodes has in its history is retried, though it was read before', async () => {
  const adapter = await agreeing(node(), standing(before))
  const scan = await adapter.scan(JSON.stringify({ seqno: '1', lt: '0', walk: null }), ours())
  expect(scan.sightings.map(({ amount }) => amount.units)).toContain(2n * TON)
  await expect(adapter.inspect(hash, ours())).rejects.toThrow(RetryLater)
})

test('two of three decide, and the third backs off and is counted', async () => {
  const adapter = await agreeing(node(), standing(before), node())
  expect(await adapter.inspect(hash, ours())).toMatchObject({
    state: 'included',
    sightings: [{ amount: { units: 2n * TON } }],
  })
  expect(adapter.nodeHealth().map(({ differed, rests }) => [differed, rests])).toEqual([
    [0, false],
    [1, true],
    [0, false],
  ])
})

test('a payout that only one of two nodes has in the past of the treasury has not landed', async () => {
  const then = await stateOfTreasury()
  const drawn = await draw(bed.adapter, payment(bed.treasury, [bed.other.address, bed.native, TON]))
  await bed.adapter.broadcast(drawn.signed)
  await ended(bed.adapter, drawn)
  const sent = { hash: drawn.signed.hash, slot: drawn.slot, account: bed.treasury }
  const divided = await agreeing(node(), standing(then))
  await expect(divided.status(sent, nothingSigned)).rejects.toThrow(RetryLater)
  const agreed = await agreeing(node(), node())
  expect(await agreed.status(sent, nothingSigned)).toMatchObject({ state: 'included' })
})
