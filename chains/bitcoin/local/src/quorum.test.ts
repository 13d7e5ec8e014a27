/** With a quorum of two, a node that lies, lags or follows another branch moves no money, backs off and is reported. */
import { family } from '@causeway/bitcoin'
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { startProvider } from '../../../../tests/support/chains/provider.ts'
import { testLog } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { Refusal } from '../../src/node/node.ts'
import { type Lab, memo, openLab, output } from './testbed.ts'
import { walletSend } from './wallet.ts'

let lab: Lab
let plain: ChainAdapter
let txid: string
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  lab = await openLab()
  plain = await lab.open('quorum')
  txid = (await walletSend(lab.node, lab.sender, [output(plain.treasury, 5_000n), memo('f4241')])).txid
  await lab.mine(3)
})
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await lab.devnet.stop()
})

/** The chain's node under another address; some methods get false answers. */
async function node(lies: Record<string, (params: unknown[]) => unknown> = {}): Promise<string> {
  const provider = await startProvider(async (method, params) => {
    const lie = await lies[method]?.(params)
    if (lie !== undefined) return lie
    const [answer] = await lab.node.settle([{ method, params, read: (raw) => raw }])
    if (answer instanceof Refusal) throw { code: answer.code, message: answer.message }
    return answer
  })
  stops.push(provider.stop)
  return provider.url
}

const refuse = (code: number, message: string) => () => {
  throw { code, message }
}
/** A node that does not know the transaction. */
const ignorant = () => node({ getrawtransaction: refuse(-5, 'No such mempool or blockchain transaction') })

const agreeing = (...nodes: string[]) =>
  family.open({ network: { ...lab.network, nodes, quorum: 2 }, signer: testSigner('quorum'), log: testLog() })
const ours = () => staticWatchlist(plain.treasury)

test('a deposit that only one of two nodes shows in a block is for later', async () => {
  const adapter = await agreeing(await node(), await ignorant())
  await expect(adapter.inspect(txid, ours())).rejects.toThrow(RetryLater)
})

test('two of three decide, and the third backs off and is counted', async () => {
  const adapter = await agreeing(await node(), await ignorant(), await node())
  expect(await adapter.inspect(txid, ours())).toMatchObject({
    state: 'included',
    sightings: [{ amount: { units: 5_000n } }],
  })
  expect(adapter.nodeHealth().map(({ differed, rests }) => [differed, rests])).toEqual([
    [0, false],
    [1, true],
    [0, false],
  ])
})

test('a payout that only one of two nodes shows in a block has not landed', async () => {
  const sent = { hash: txid, slot: [], account: plain.treasury }
  const divided = await agreeing(await node(), await ignorant())
  await expect(divided.status(sent, nothingSigned)).rejects.toThrow(RetryLater)
  const agreed = await agreeing(await node(), await node())
  expect(await agreed.status(sent, nothingSigned)).toMatchObject({ state: 'included', confirmations: 3 })
})

test('a transaction that is pending at one node and unknown to the other is pending', async () => {
  const { txid: waiting } = await walletSend(lab.node, lab.sender, [output(plain.treasury, 5_000n), memo('f4242')])
  const adapter = await agreeing(await node(), await ignorant())
  expect(await adapter.inspect(waiting, ours())).toMatchObject({ state: 'pending' })
  expect(await adapter.status({ hash: waiting, slot: [], account: plain.treasury }, nothingSigned)).toEqual({
    state: 'pending',
  })
})

test('a head that only one node has is not scanned up to', async () => {
  const { next, head } = await plain.scan(null, ours())
  await lab.mine(2)
  const isAbove = ([height]: unknown[]) => Number(height) > Number(head.number)
  const tooHigh = refuse(-8, 'Block height out of range')
  const behind = await node({ getblockhash: (params) => (isAbove(params) ? tooHigh() : undefined) })
  const divided = await agreeing(await node(), behind)
  await expect(divided.scan(next, ours())).rejects.toThrow(RetryLater)
  const agreed = await agreeing(await node(), await node())
  expect((await agreed.scan(next, ours())).scannedTo).toBe(head.number + 2n)
})
