/**
 * Receipts that cannot be read: a sender chooses how many a transaction writes, and must not block other deposits with
 * them.
 */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import {
  type Body,
  contractOutputs,
  inspected,
  type Lab,
  type Opened,
  openLab,
  scriptOf,
  startProxy,
} from './testbed.ts'

let lab: Lab
let opened: Opened
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('receipts')
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await lab.devnet.stop()
})

const ours = () => staticWatchlist(opened.adapter.treasury)
const TRIES = 3
const doubt = 'no node tells what its script wrote'

async function deposited(number: bigint): Promise<string> {
  const script = scriptOf([{ number }])
  const coin = { type: 'coin', to: opened.adapter.treasury, units: 5_000n, asset: lab.place.baseAsset } as const
  return lab.post({ ...script, outputs: [...contractOutputs(script), coin] })
}

/** A node that fails on the receipts of one transaction while `isTroubled`. */
async function troubled(trouble: (body: Body) => unknown, txHash: string, isTroubled = () => true): Promise<string> {
  const proxy = await startProxy(lab.url, {
    answer: (question, body) => {
      const { query, variables } = question as typeof question & { query: string }
      const isIt = query.includes('receipts') && Object.values(variables).includes(txHash)
      return isIt && isTroubled() ? trouble(body) : undefined
    },
  })
  stops.push(proxy.stop)
  return proxy.url
}

const altered = (change: (text: string) => string) => (body: Body) => JSON.parse(change(JSON.stringify(body)))

describe.each<[string, (body: Body) => unknown]>([
  ['a node says no to', () => ({ data: null, errors: [{ message: 'Query is too complex.' }] })],
  ['a node fails to tell of', () => 'Bad Gateway'],
  ['a node keeps no longer', ({ data: _, ...body }) => ({ ...body, data: { transaction: null } })],
  ['have a log without data', altered((text) => text.replaceAll(/"data":"0x[0-9a-f]+"/g, '"data":null'))],
  ['have a log that is not its digest', altered((text) => text.replaceAll(/"data":"0x[0-9a-f]{2}/g, '"data":"0xff'))],
])('receipts that %s', (_, trouble) => {
  it('stop no scan: after some tries the money is seen without a number, and what follows with its own', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    const [hostile, honest] = [await deposited(31n), await deposited(32n)]
    const { adapter } = await lab.open('receipts', { nodes: [await troubled(trouble, hostile)] })
    for (let tried = 1; tried < TRIES; tried++) await expect(adapter.scan(next, ours())).rejects.toThrow(RetryLater)
    const { sightings, scannedTo, head } = await adapter.scan(next, ours())
    expect(sightings).toMatchObject([
      { txHash: hostile, reference: null, doubt, amount: { units: 5_000n } },
      { txHash: honest, reference: 32n },
    ])
    expect(sightings[1]?.doubt).toBeUndefined()
    expect(scannedTo).toBe(head.number)
    expect(await inspected(adapter, hostile)).toMatchObject({
      state: 'included',
      sightings: [{ reference: null, doubt }],
    })
  })

  it('are asked for again, and of another node', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    const txHash = await deposited(33n)
    let troubles = 1
    const passing = await troubled(trouble, txHash, () => troubles-- > 0)
    const { adapter } = await lab.open('receipts', { nodes: [passing] })
    await expect(adapter.scan(next, ours())).rejects.toThrow(RetryLater)
    const named = [{ reference: 33n, amount: { units: 5_000n } }]
    expect((await adapter.scan(next, ours())).sightings).toMatchObject(named)
    const both = await lab.open('receipts', { nodes: [await troubled(trouble, txHash), lab.url] })
    expect((await both.adapter.scan(next, ours())).sightings).toMatchObject(named)
    expect(await inspected(both.adapter, txHash)).toMatchObject({ state: 'included', sightings: named })
  })
})

it('many such transactions take no more scans than one', async () => {
  const { next } = await opened.adapter.scan(null, ours())
  const hashes = [await deposited(34n), await deposited(35n), await deposited(36n)]
  const proxy = await startProxy(lab.url, {
    answer: (question) =>
      (question as typeof question & { query: string }).query.includes('receipts') ? 'Bad Gateway' : undefined,
  })
  stops.push(proxy.stop)
  const { adapter } = await lab.open('receipts', { nodes: [proxy.url] })
  for (let tried = 1; tried < TRIES; tried++) await expect(adapter.scan(next, ours())).rejects.toThrow(RetryLater)
  const { sightings } = await adapter.scan(next, ours())
  expect(sightings.map(({ txHash, doubt: why }) => [txHash, why])).toEqual(hashes.map((txHash) => [txHash, doubt]))
})

it('an answer of more than 64 MiB is not read to its end', async () => {
  const endless = await startServer(async () => ({ status: 200, body: { data: 'x'.repeat(65 * 2 ** 20) } }))
  stops.push(endless.stop)
  const { adapter } = await lab.open('receipts', { nodes: [endless.url] })
  await expect(adapter.fees()).rejects.toThrow('an answer that is too large')
})
