/** Where two nodes must agree, one that lies or lags moves no money, and is rested and shown. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { type Answer, control, startChain, startProxy, type TestChain, walletAt } from './testing.ts'

const UNITS = 5_000_000
let chain: TestChain
let hash: string
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  chain = await startChain()
  const user = await walletAt(chain.local, 0)
  hash = await chain.local.transfer(user, chain.network.nativeToken, chain.treasury, BigInt(UNITS))
  await control(chain.node, 'devnet_mine', 3)
})
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await chain.local.stop()
})

type Change = (method: string, answer: Answer) => Answer | undefined

async function node(change: Change = () => undefined): Promise<string> {
  const proxy = await startProxy(chain.url, ({ method }, answer) => change(method, answer))
  stops.push(proxy.stop)
  return proxy.url
}

/** One that never heard of the transaction. */
const ignorant = () =>
  node((method, answer) => {
    if (method === 'getTransaction') return { ...answer, result: null }
    return method === 'getSignatureStatuses'
      ? { ...answer, result: { context: { slot: 1 }, value: [null] } }
      : undefined
  })

interface Shown {
  meta: { postBalances: number[] }
  transaction: { message: { accountKeys: string[] } }
}

/** One that shows ten times what came. */
const generous = () =>
  node((method, answer) => {
    if (method !== 'getTransaction') return undefined
    const shown = structuredClone(answer)
    const { meta, transaction } = shown.result as Shown
    const position = transaction.message.accountKeys.indexOf(chain.treasury)
    meta.postBalances[position] = (meta.postBalances[position] ?? 0) + 9 * UNITS
    return shown
  })

const agreeing = async (...nodes: Promise<string>[]) => chain.open({ nodes: await Promise.all(nodes), quorum: 2 })
const ours = () => staticWatchlist(chain.treasury)

test('a deposit that only one of two nodes shows is for later', async () => {
  const adapter = await agreeing(node(), ignorant())
  await expect(adapter.inspect(hash, ours())).rejects.toThrow(RetryLater)
})

test('a deposit of which one shows more than the other is for later', async () => {
  const lone = await chain.open({ nodes: [await generous()] })
  const believed = await lone.inspect(hash, ours())
  expect(believed).not.toMatchObject({ sightings: [{ amount: { units: BigInt(UNITS) } }] })
  const adapter = await agreeing(generous(), node())
  await expect(adapter.inspect(hash, ours())).rejects.toThrow(RetryLater)
})

test('two of three decide, and the third is rested and counted', async () => {
  const adapter = await agreeing(node(), generous(), node())
  expect(await adapter.inspect(hash, ours())).toMatchObject({
    state: 'included',
    sightings: [{ amount: { units: BigInt(UNITS) } }],
  })
  expect(adapter.nodes?.().map(({ differed, rests }) => [differed, rests])).toEqual([
    [0, false],
    [1, true],
    [0, false],
  ])
})

test('a payout that only one of two nodes shows has not landed', async () => {
  const sent = { hash, slot: [], account: chain.treasury }
  const divided = await agreeing(node(), ignorant())
  await expect(divided.status(sent)).rejects.toThrow(RetryLater)
  const agreed = await agreeing(node(), node())
  expect(await agreed.status(sent)).toMatchObject({ state: 'included' })
})
