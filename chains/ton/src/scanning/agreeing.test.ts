/** Nodes in a quorum are independent witnesses: one node's answer is never used for another. */
import { NodeFailure, openHeadQuorum, poolNodes } from '@causeway/chain-kit'
import { RetryLater } from '@causeway/core'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import { testLog } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import type { TonChain } from '../chain.ts'
import { masterchainInfo } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { status } from '../paying/status.ts'
import type { TonTransaction } from '../transaction.ts'
import { openBlocks } from './blocks.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { openHistory } from './history.ts'
import { inspect } from './inspect.ts'
import { openScanMemory } from './scan-memory.ts'
import { openSenders } from './senders.ts'
import { scan } from './watch.ts'

const ACCOUNT = '11'.repeat(32)
const TREASURY = `0:${ACCOUNT}`
/** No honest node has a transaction above this one. */
const HIGHEST = 10_000
const hashOf = (number: number) => number.toString(16).padStart(64, '0')
const pointerOf = (number: number, lt = BigInt(number)) => ({ hash: hashOf(number), lt })

/** The treasury's history has this many transactions, each named by its number. */
function transaction(number: number): TonTransaction {
  const previous = number > 1 ? pointerOf(number - 1) : null
  const inHash = `f${hashOf(number).slice(1)}`
  const named = { ...pointerOf(number), inHash, account: ACCOUNT, now: number, previous }
  return {
    ...named,
    isAborted: false,
    isUnreadable: false,
    in: null,
    out: [],
    totalFees: 0n,
  } as unknown as TonTransaction
}

/** Its history begins with the invented transaction, if any. */
function nodeWith(name: string, last: { hash: string; lt: bigint }, invented?: TonTransaction, seqno = 9_000n): Node {
  const answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    getAddressInformation: () => ({ head: { number: seqno, hash: 'head' }, time: 0, last }),
    getMasterchainInfo: () => ({ head: { number: seqno, hash: 'head' } }),
    lookupBlock: ({ lt }) => ({ number: BigInt(String(lt)), hash: `block of ${lt}` }),
    getTransactions({ hash, limit }) {
      const from = Number.parseInt(Buffer.from(String(hash), 'base64').toString('hex'), 16)
      if (invented && hashOf(from) === invented.hash) return [invented]
      if (from > HIGHEST) throw new Refusal('getTransactions', 'cannot locate transaction')
      return Array.from({ length: Math.min(Number(limit), from) }, (_, back) => transaction(from - back))
    },
  }
  const ask = async ({ method, params }: { method: string; params: Record<string, unknown> }) =>
    answers[method]?.(params)
  return { name, ask } as unknown as Node
}

function chainOf(nodes: Node[], quorum: number): TonChain {
  const log = testLog()
  const rpc = poolNodes({ network: 'TON', nodes, quorum, log, now: Date.now, verify: async () => undefined })
  const network = { name: 'TON', quorum, tokens: [], nativeToken: {}, finalDepth: 1 }
  const heightOf = async (node: Node) => (await node.ask(masterchainInfo())).head.number
  const reach = openHeadQuorum(rpc, { quorum, slack: 30n, heightOf })
  const own = {
    network,
    reach,
    scanMemory: openScanMemory(Date.now()),
    treasury: { address: TREASURY, accountId: ACCOUNT },
    rpc,
    missed: new Map(),
  }
  const read = { history: openHistory(), blocks: openBlocks(), senders: openSenders(quorum < 2), jettons: {} }
  return { ...own, ...read } as unknown as TonChain
}

const stateOf = async (chain: TonChain, number: number) =>
  (await inspect(chain, hashOf(number), staticWatchlist(TREASURY))).state

test('one that lies of when the last transaction was makes no honest one look past a deposit', async () => {
  const liar = nodeWith('liar.example', pointerOf(3, 2n ** 62n))
  const chain = chainOf([nodeWith('a.example', pointerOf(50)), liar, nodeWith('b.example', pointerOf(50))], 2)
  for (let asked = 0; asked < 3; asked++) expect(await stateOf(chain, 40)).toBe('included')
})

test('a node that gives a transaction a wrong time is detected, even if it was read before', async () => {
  const history = openHistory()
  const walked = async (from: { hash: string; lt: bigint }) => {
    let count = 0
    for await (const _ of history.walk(nodeWith('a.example', from), TREASURY, from)) count++
    return count
  }
  await expect(walked(pointerOf(50, 51n))).rejects.toThrow(NodeFailure)
  expect(await walked(pointerOf(50))).toBe(50)
  await expect(walked(pointerOf(50, 51n))).rejects.toThrow(NodeFailure)
})

test.each([1, 2])('a deposit thousands of transactions back is found with a quorum of %i', async (quorum) => {
  const chain = chainOf([nodeWith('a.example', pointerOf(4_000)), nodeWith('b.example', pointerOf(4_000))], quorum)
  expect(await stateOf(chain, 1_500)).toBe('included')
})

test('not being among the searched transactions does not prove that it does not exist', async () => {
  const chain = chainOf([nodeWith('a.example', pointerOf(9_000))], 1)
  await expect(stateOf(chain, 1_500)).rejects.toThrow(RetryLater)
})

/** Repeats a request as the service does: each time the search continues where it stopped. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let asked = 0; asked < 5; asked++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error
    }
  }
  throw new Error('it is never told')
}

test.each([1, 2])('a deposit followed by more transactions than one search covers is found: %i', async (quorum) => {
  const nodes = [nodeWith('a.example', pointerOf(9_999)), nodeWith('b.example', pointerOf(9_999))]
  const chain = chainOf(nodes, quorum)
  expect(await patiently(() => stateOf(chain, 20))).toBe('included')
})

test('a hash that was searched before it existed is found once it does, however long the search was', async () => {
  let newest = 6_000
  const node = nodeWith('a.example', pointerOf(0))
  const ask = (call: { method: string }) =>
    call.method === 'getAddressInformation'
      ? Promise.resolve({ head: { number: 9_000n, hash: 'head' }, last: pointerOf(newest) })
      : node.ask(call as never)
  const chain = chainOf([{ name: node.name, ask } as unknown as Node], 1)
  await expect(stateOf(chain, 6_500)).rejects.toThrow(RetryLater)
  newest = 7_000
  expect(await patiently(() => stateOf(chain, 6_500))).toBe('included')
})

test('a payout followed by more transactions than one search covers is found', async () => {
  const chain = chainOf([nodeWith('a.example', pointerOf(9_999))], 1)
  const sent = { hash: transaction(20).inHash ?? '', slot: ['7@10'], account: TREASURY }
  expect((await patiently(() => status(chain, sent))).state).toBe('reverted')
})

test('nodes in a quorum are asked again whether a sender has a wallet', async () => {
  const anybody = { workchain: 0, publicKey: Buffer.alloc(32) }
  let codeHash: string | null = WalletContractV4.create(anybody).init.code.hash().toString('hex')
  const nodeOf = (name: string) => ({ name, ask: async () => ({ codeHash }) }) as unknown as Node
  const sender = WalletContractV4.create(anybody).address.toString()
  for (const [remembers, found] of [
    [true, sender],
    [false, null],
  ] as const) {
    const senders = openSenders(remembers)
    codeHash = WalletContractV4.create(anybody).init.code.hash().toString('hex')
    expect(await senders.refundable(nodeOf('a'), sender)).toBe(sender)
    codeHash = null
    expect(await senders.refundable(nodeOf('a'), sender)).toBe(found)
    expect(await senders.refundable(nodeOf('b'), sender)).toBeNull()
  }
})

const LATE = 2n ** 62n
const INVENTED: TonTransaction = { ...transaction(50_000), lt: LATE, previous: pointerOf(50) }
const begun = formatCursor({ seqno: 9_000n, lt: 49n, walk: null })
const ours = staticWatchlist(TREASURY)
const honest = () => [nodeWith('a.example', pointerOf(50)), nodeWith('b.example', pointerOf(50))]

test('a far-future transaction that one node invents hides no later deposit', async () => {
  const liar = nodeWith('liar.example', { hash: hashOf(50_000), lt: LATE }, INVENTED)
  const believed = await scan(chainOf([liar], 1), begun, ours)
  expect(parseCursor(believed.next).lt).toBe(LATE)
  const chain = chainOf([liar, ...honest()], 2)
  await expect(scan(chain, begun, ours)).rejects.toThrow(RetryLater)
  expect(parseCursor((await scan(chain, begun, ours)).next).lt).toBe(50n)
  // Nor at the very first scan.
  await expect(scan(chainOf([liar, ...honest()], 2), null, ours)).rejects.toThrow(RetryLater)
})

test('a block far ahead that one node invents is not followed', async () => {
  const dreamer = nodeWith('dreamer.example', pointerOf(50), undefined, 9_000_000n)
  expect((await scan(chainOf([dreamer], 1), begun, ours)).scannedTo).toBe(9_000_000n)
  const found = await scan(chainOf([dreamer, ...honest()], 2), begun, ours)
  expect([found.scannedTo, parseCursor(found.next).lt]).toEqual([9_000n, 50n])
})
