/**
 * The proof that no attempt of a slot can be mined any more. Either another transaction spent one of its coins in a
 * final block, or the slot expired at final depth while every node still shows all its coins unspent. A coin from a
 * replaced block may never exist: then the same is proven for its parent transaction, which we signed ourselves.
 */
import {
  type BlockRef,
  type InvalidationProof,
  RetryLater,
  type SentTransfer,
  type SignedBefore,
  type Slot,
  type TxHash,
} from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { coinsById, head, headers } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { coinInputs, type Outpoint, POLICY, parseTransaction, partOf, policyOf } from '../transaction.ts'
import { type SlotUse, useOf } from './slot.ts'

/** The maximum length of a chain of unconfirmed transfers within the blocks that may be replaced. */
const LONGEST_CHAIN = 25

/**
 * The proof that no attempt of a slot can be mined; null if there is none. Every node must agree: one that lags or lies
 * would otherwise allow a second payment.
 */
export function deathOf(
  chain: FuelChain,
  { hash, slot }: SentTransfer,
  signedBefore: SignedBefore,
): Promise<InvalidationProof | null> {
  return provenBy(chain, useOf(slot), [hash], signedBefore)
}

/**
 * `doomed`: the transfer and its unconfirmed parents, down to the one that spends these coins. None of them may have
 * been mined.
 */
async function provenBy(
  chain: FuelChain,
  use: SlotUse,
  doomed: readonly TxHash[],
  signedBefore: SignedBefore,
): Promise<InvalidationProof | null> {
  const { height, gone, rival } = await chain.rpc.use(async (node) => {
    const { number: newest } = await node.ask(head())
    const missing = await missingOf(node, use, newest)
    const isSpent = missing.length > 0
    const found = isSpent ? await chain.spenders.find(chain, node, use.parts, searchStart(chain, use)) : null
    return { height: newest, gone: missing, rival: found }
  })
  if (gone.length === 0) return isOver(chain, use, height) ? expiredEverywhere(chain, doomed, use) : null
  // If the spender is one of our own transfers, that one was mined, whatever else was reported.
  if (rival !== null) return doomed.includes(rival) ? null : usedEverywhere(chain, doomed, use, rival, height)
  return doomed.length > LONGEST_CHAIN ? null : neverMade(chain, gone, doomed, signedBefore)
}

/** The parent of one of these coins, if no node has it, we signed it, and it can never be mined; else null. */
async function neverMade(
  chain: FuelChain,
  coins: readonly Outpoint[],
  doomed: readonly TxHash[],
  signedBefore: SignedBefore,
): Promise<InvalidationProof | null> {
  for (const txId of new Set(coins.map((coin) => coin.txId))) {
    const { state } = await chain.rpc.use((node) => locate(chain, node, txId))
    const parent = state === 'unknown' ? await signedBefore(txId) : null
    const transaction = parent && parseTransaction(parent.bytes)
    if (!transaction) continue
    const made = coinInputs(transaction)
    const until = policyOf(transaction, POLICY.expiration) ?? 0n
    const use = { coins: made, parts: made.map(partOf), until }
    const evidence = await provenBy(chain, use, [...doomed, txId], signedBefore)
    if (evidence) return { ...evidence, reason: `it is built on ${txId}: ${evidence.reason}` }
  }
  return null
}

/**
 * The block at which a search starts: earlier blocks contain nothing of the slot. If the setting was changed since, the
 * search may start too late: then nothing is found.
 */
function searchStart({ settings }: FuelChain, { until }: SlotUse): bigint {
  return until > settings.expiresAfter ? until - settings.expiresAfter : 0n
}

function isOver({ network }: FuelChain, { until }: SlotUse, height: bigint): boolean {
  return height >= until + BigInt(network.finalDepth)
}

/** Whether the last block that may include it is final on every node: from then on nothing of the slot can be mined. */
export async function isOverEverywhere(chain: FuelChain, slot: Slot): Promise<boolean> {
  const use = useOf(slot)
  const heights = await chain.rpc.every(async (node) => (await node.ask(head())).number)
  return heights.length > 0 && heights.every((height) => isOver(chain, use, height))
}

/** The slot's coins that are spent or do not exist yet. */
async function missingOf(node: Node, { coins }: SlotUse, atLeast: bigint): Promise<Outpoint[]> {
  const found = (await Promise.all(coinsById(coins).map((query) => node.ask(query, atLeast)))).flat()
  return coins.filter((_, place) => found[place] === null)
}

/** Whether no transaction of these is known, in a state no older than this height. */
async function areNowhere(chain: FuelChain, node: Node, doomed: readonly TxHash[], height: bigint): Promise<boolean> {
  for (const hash of doomed) if ((await locate(chain, node, hash, height)).state !== 'unknown') return false
  return true
}

async function expiredEverywhere(
  chain: FuelChain,
  doomed: readonly TxHash[],
  use: SlotUse,
): Promise<InvalidationProof | null> {
  const { until } = use
  const depth = until + BigInt(chain.network.finalDepth)
  const seen = await chain.rpc.every(async (node): Promise<BlockRef | null> => {
    const [last] = await node.ask(headers(until, 1), depth)
    if (!last || !(await areNowhere(chain, node, doomed, depth))) return null
    // Requested last, so that the coins are shown by a state no older than everything before.
    return (await missingOf(node, use, depth)).length === 0 ? { number: last.number, hash: last.hash } : null
  })
  const block = agreed(seen)
  if (!block) return null
  const reason = `it could land up to block ${until}, which is final, and all of its coins are unspent at ${depth}`
  return { usedBy: null, block, reason }
}

async function usedEverywhere(
  chain: FuelChain,
  doomed: readonly TxHash[],
  use: SlotUse,
  rival: TxHash,
  height: bigint,
): Promise<InvalidationProof | null> {
  const seen = await chain.rpc.every(async (node): Promise<(BlockRef & { part: string }) | null> => {
    const found = await locate(chain, node, rival, height)
    if (found.state !== 'included' || found.confirmations < chain.network.finalDepth) return null
    const spent = coinInputs(found.landed.transaction).map(partOf)
    const part = use.parts.find((one) => spent.includes(one))
    if (part === undefined || !(await areNowhere(chain, node, doomed, height))) return null
    return { ...found.landed.block, part }
  })
  const block = agreed(seen)
  if (!block) return null
  const { number, hash, part } = block
  return {
    usedBy: rival,
    block: { number, hash },
    reason: `${part} was spent by ${rival} in block ${number}, which is final`,
  }
}

/** The block that all nodes name; null if one differs or names none. */
function agreed<B extends BlockRef>(seen: readonly (B | null)[]): B | null {
  const [first] = seen
  if (!first) return null
  if (seen.some((one) => one !== null && one.number === first.number && one.hash !== first.hash)) {
    throw new RetryLater(`nodes differ in block ${first.number}`)
  }
  return seen.every((one) => one?.hash === first.hash) ? first : null
}
