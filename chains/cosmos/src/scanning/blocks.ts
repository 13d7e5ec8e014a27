/**
 * Verified blocks: the hash is computed from the header, the transactions match the header, and the results match the
 * next header. A mismatch is a fault of the node.
 */
import { NodeFailure } from '@causeway/chain-kit'
import type { BlockRef, TxHash } from '@causeway/core'
import { blockHash, dataHash, type Header, resultsHash } from '../block.ts'
import type { CosmosChain } from '../chain.ts'
import {
  type BlockResults,
  block,
  blockResults,
  type Event,
  header,
  type RawBlock,
  type TxResult,
} from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { Refusal } from '../node/node.ts'
import { contentOf, hashOf, readTransaction, type Transaction } from '../transaction.ts'

export interface Block extends BlockRef {
  parent: string
  timeMs: number
  transactions: Uint8Array[]
  lastResultsHash: string
  /** False if only the header was read, because nothing in the block concerns us. */
  isWhole?: boolean
}

/** A transaction in its block, and its result there. */
export interface Landed {
  hash: TxHash
  /** The signed content, which is the same under every hash. */
  content: string | null
  /** The decoded transaction; null if it is not one of the SDK. */
  transaction: Transaction | null
  result: TxResult
}

export interface ReadBlock {
  block: Block
  landed: Landed[]
  /** Events outside any transaction. */
  events: Event[]
}

type Reader = Pick<CosmosChain, 'settings'>

export async function readBlock(chain: Reader, node: Node, height: bigint): Promise<Block> {
  const [raw] = await node.ask([block(height)])
  return verified(chain, node, raw, height)
}

/** Reads several blocks, as far as the node has them. */
export async function readBlocks(chain: Reader, node: Node, heights: readonly bigint[]): Promise<Block[]> {
  const answers = await node.settle(heights.map((height) => block(height)))
  const missing = answers.findIndex((answer) => answer instanceof Refusal)
  const [first] = answers
  if (missing === 0 && first instanceof Refusal) throw first
  const found = missing === -1 ? answers : answers.slice(0, missing)
  return found.flatMap((raw, at) => (raw instanceof Refusal ? [] : [verified(chain, node, raw, heights[at] ?? 0n)]))
}

function verified({ settings }: Reader, node: Node, raw: RawBlock, height: bigint): Block {
  assertHeader(settings.chainId, node, raw, height)
  const { transactions } = raw
  if (settings.checksData && dataHash(transactions) !== upperHex(raw.header.dataHash))
    throw new NodeFailure(`node ${node.name} shows other transactions in block ${height} than its header names`)
  return {
    number: height,
    hash: raw.hash,
    parent: upperHex(raw.header.lastBlock.hash),
    timeMs: timeMsOf(raw.header),
    transactions,
    lastResultsHash: upperHex(raw.header.lastResultsHash),
  }
}

/** Reads a block's header only. */
export async function readHeader(
  { settings }: Reader,
  node: Node,
  height: bigint,
): Promise<Omit<Block, 'transactions'>> {
  const [raw] = await node.ask([header(height)])
  assertHeader(settings.chainId, node, raw, height)
  return {
    number: height,
    hash: raw.hash,
    parent: upperHex(raw.header.lastBlock.hash),
    timeMs: timeMsOf(raw.header),
    lastResultsHash: upperHex(raw.header.lastResultsHash),
  }
}

function assertHeader(
  chainId: string,
  node: Node,
  { hash, header: told }: { hash: string; header: Header },
  height: bigint,
): void {
  if (told.height !== height || told.chainId !== chainId || blockHash(told) !== hash)
    throw new NodeFailure(`node ${node.name} shows a block ${height} whose hash is not that of its header`)
}

/** The results of a block; null if the node does not have them yet. */
export async function readResults(node: Node, { number, transactions }: Block): Promise<BlockResults | null> {
  const [answer] = await node.settle([blockResults(number)])
  if (answer instanceof Refusal) return null
  if (answer.results.length !== transactions.length)
    throw new NodeFailure(`node ${node.name} has ${answer.results.length} results of block ${number}`)
  return answer
}

/** Joins transactions and results. `next`: the `last_results_hash` of the following block; null while there is none. */
export function landedIn(
  { settings }: Reader,
  node: Node,
  found: Block,
  { results, blockEvents }: BlockResults,
  next: string | null,
): ReadBlock {
  if (next !== null && settings.checksResults && resultsHash(results) !== next)
    throw new NodeFailure(`node ${node.name} shows other results of block ${found.number} than the next header names`)
  const landed = found.transactions.map((bytes, at) => {
    const result = results[at]
    if (!result) throw new NodeFailure(`node ${node.name} has no result of a transaction in block ${found.number}`)
    return { hash: hashOf(bytes), content: contentOf(bytes), transaction: readTransaction(bytes, settings), result }
  })
  return { block: found, landed, events: blockEvents }
}

/** One block with its results, verified as far as the head allows. Throws if the node lacks a part. */
export async function readWhole(chain: Reader, node: Node, height: bigint, head: bigint): Promise<ReadBlock> {
  const [found, next] = await Promise.all([
    readBlock(chain, node, height),
    head > height && chain.settings.checksResults ? readHeader(chain, node, height + 1n) : null,
  ])
  if (next && next.parent !== found.hash) throw new NodeFailure(`node ${node.name} shows blocks that do not follow`)
  const results = await readResults(node, found)
  if (!results) throw new NodeFailure(`node ${node.name} has no results of block ${height}`)
  return landedIn(chain, node, found, results, next?.lastResultsHash ?? null)
}

export function confirmationsAt(head: bigint, height: bigint): number {
  return head < height ? 1 : Number(head - height) + 1
}

function timeMsOf({ time: { seconds, nanos } }: Header): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000)
}

function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase()
}
