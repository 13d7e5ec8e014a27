/** With a quorum of two, a node that lies or lags moves no money, backs off and is reported. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/address.ts'
import { type Answer, control, startChain, startProxy, type TestChain, tokenOf, walletAt } from './testbed.ts'

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

/** A node that does not know the transaction. */
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

/** A node that shows ten times the received amount. */
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

test('two of three decide, and the third backs off and is counted', async () => {
  const adapter = await agreeing(node(), generous(), node())
  expect(await adapter.inspect(hash, ours())).toMatchObject({
    state: 'included',
    sightings: [{ amount: { units: BigInt(UNITS) } }],
  })
  expect(adapter.nodeHealth().map(({ differed, rests }) => [differed, rests])).toEqual([
    [0, false],
    [1, true],
    [0, false],
  ])
})

/** Right in all but how far the chain has come. */
const hasty = () =>
  node((method, answer) => {
    if (method !== 'getSignatureStatuses') return undefined
    const shown = structuredClone(answer)
    const { value } = shown.result as { value: ({ confirmationStatus: string } | null)[] }
    for (const status of value) if (status) status.confirmationStatus = 'finalized'
    return shown
  })

test('one node alone makes nothing deeper than the other says', async () => {
  const adapter = await agreeing(hasty(), node())
  const depthOf = (told: object) => ('confirmations' in told ? Number(told.confirmations) : 0)
  const inspected = depthOf(await adapter.inspect(hash, ours()))
  const landed = depthOf(await adapter.status({ hash, slot: [], account: chain.treasury }, nothingSigned))
  // The chain advances meanwhile.
  const honest = depthOf(await chain.adapter.inspect(hash, ours()))
  expect(Math.min(inspected, landed)).toBeGreaterThan(0)
  expect(Math.max(inspected, landed)).toBeLessThanOrEqual(honest)
})

/** A node that reports the wrong token program for USDC. */
const confused = () =>
  node((method, answer) => {
    const shown = structuredClone(answer)
    const { value } = (shown.result ?? {}) as { value?: ({ owner?: string } | null)[] }
    if (method !== 'getMultipleAccounts' || value?.length !== 1) return undefined
    if (value[0]?.owner === TOKEN_PROGRAM) value[0].owner = TOKEN_2022_PROGRAM
    return shown
  })

test("one node's claim about a mint hides no deposit that two others show", async () => {
  const usdc = tokenOf(chain.network, 'USDC')
  const sent = await chain.local.transfer(await walletAt(chain.local, 0), usdc, chain.treasury, 7n)
  await control(chain.node, 'devnet_mine', 3)
  const adapter = await agreeing(confused(), node(), node())
  await adapter.balances([{ owner: chain.treasury, token: usdc }])
  expect(await adapter.inspect(sent, ours())).toMatchObject({ sightings: [{ amount: { units: 7n } }] })
})

test('a payout that only one of two nodes shows has not landed', async () => {
  const sent = { hash, slot: [], account: chain.treasury }
  const divided = await agreeing(node(), ignorant())
  await expect(divided.status(sent, nothingSigned)).rejects.toThrow(RetryLater)
  const agreed = await agreeing(node(), node())
  expect(await agreed.status(sent, nothingSigned)).toMatchObject({ state: 'included' })
})

const FAR = 1_000_000_000

/** A node that invents a block far ahead, linked to the last scanned one. */
async function dreamer(last: [string, string]): Promise<string> {
  const proxy = await startProxy(chain.url, ({ method, params }, answer) => {
    const invented = { blockhash: hash.slice(0, 44), previousBlockhash: last[1], parentSlot: Number(last[0]) }
    if (method === 'getBlocksWithLimit') return { ...answer, result: [FAR] }
    if (method === 'getBlock' && params[0] === FAR)
      return { jsonrpc: '2.0', result: { ...invented, blockTime: 1, transactions: [] } }
    if (method !== 'getLatestBlockhash') return undefined
    const { value } = answer.result as { value: unknown }
    return { ...answer, result: { context: { slot: FAR }, value } }
  })
  stops.push(proxy.stop)
  return proxy.url
}

test('a block far ahead that one node invents is not followed: deposits are seen on', async () => {
  const { next } = await chain.adapter.scan(null, ours())
  const { next: begun } = await chain.adapter.scan(next, ours())
  const last: [string, string] = JSON.parse(begun).blocks.at(-1)
  const lone = await chain.open({ nodes: [await dreamer(last)] })
  expect((await lone.scan(begun, ours())).scannedTo).toBe(BigInt(FAR))
  const sent = await chain.local.transfer(await walletAt(chain.local, 0), chain.network.nativeToken, chain.treasury, 9n)
  const adapter = await agreeing(dreamer(last), node(), node())
  const scan = await adapter.scan(begun, ours())
  expect(scan.sightings.map(({ txHash }) => txHash)).toEqual([sent])
  expect(adapter.nodeHealth()[0]).toMatchObject({ rests: true })
})
