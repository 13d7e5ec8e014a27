/**
 * The `Transfer` logs of listed tokens and the `Deposited` logs of our own contracts, for exactly the blocks that were
 * read. A node that lags or switched branches in between is detected, because a log missed here would be a deposit
 * missed forever.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { RetryLater } from '@causeway/core'
import type { Hex } from 'viem'
import type { EvmChain } from '../chain.ts'
import { DEPOSITED_TOPIC } from '../depositing/depository.ts'
import { type Block, type Log, logs } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { type BloomBits, bloomBits, mayContain } from './native/bloom.ts'
import { logsBetween, type RangeFilter } from './ranges.ts'
import { TRANSFER_TOPIC } from './transfers.ts'

export async function transferLogs(
  chain: EvmChain,
  node: Node,
  all: readonly Block[],
): Promise<ReadonlyMap<string, Log[]>> {
  const filter = { address: [...chain.tokens.keys(), ...chain.contracts.depositories], topics: [TOPICS] }
  const blocks = all.filter(({ transactions }) => transactions.length > 0)
  const byBlock = new Map<string, Log[]>(blocks.map(({ hash }) => [hash, []]))
  if (filter.address.length === 0 || blocks.length === 0) return byBlock
  const ranged = blocks.length > 1 ? await logsOfRange(node, blocks, filter) : null
  for (const log of ranged ?? []) logsOf(byBlock, log).push(log)

  // These blocks are requested by hash: then a missing block is an error, not an empty list.
  const doubtful = ranged === null ? blocks : blocks.filter((block) => isLacking(chain, block, byBlock))
  if (doubtful.length === 0) return byBlock
  const answers = await node.settle(doubtful.map(({ hash }) => logs({ ...filter, blockHash: hash })))
  for (const answer of answers) {
    if (answer instanceof Refusal) throw withoutLogs(node, answer)
    for (const log of answer) logsOf(byBlock, log).push(log)
  }
  return byBlock
}

/** A node that serves no logs cannot be used here: another one is asked. */
function withoutLogs(node: Node, refusal: Refusal): Error {
  if (classOf(refusal) === 'behind') return refusal
  return new NodeFailure(`node ${node.name} tells no logs: ${refusal.message}`)
}

/** The logs of a block range; null if the node does not support the query. */
function logsOfRange(node: Node, blocks: readonly Block[], filter: RangeFilter): Promise<Log[] | null> {
  const numbers = blocks.map(({ number }) => number)
  return logsBetween(node, filter, numbers[0] ?? 0n, numbers.at(-1) ?? 0n)
}

function logsOf(byBlock: Map<string, Log[]>, log: Log): Log[] {
  const list = byBlock.get(log.blockHash)
  if (!list) throw new RetryLater('the chain changed while it was read')
  return list
}

/** Whether the block came without logs although its bloom filter says that it may have some. */
function isLacking(chain: EvmChain, block: Block, byBlock: ReadonlyMap<string, Log[]>): boolean {
  if (byBlock.get(block.hash)?.length) return false
  const mayHave = (topic: BloomBits, contracts: Iterable<string>) =>
    mayContain(block.logsBloom, topic) &&
    [...contracts].some((contract) => mayContain(block.logsBloom, contractBits(contract as Hex)))
  return mayHave(TRANSFER_BITS, chain.tokens.keys()) || mayHave(DEPOSITED_BITS, chain.contracts.depositories)
}

const TOPICS = [TRANSFER_TOPIC, DEPOSITED_TOPIC]
const TRANSFER_BITS = bloomBits(TRANSFER_TOPIC)
const DEPOSITED_BITS = bloomBits(DEPOSITED_TOPIC)
const bitsByContract = new Map<string, BloomBits>()

/** Cached per contract; only listed contracts are cached, so this stays small. */
function contractBits(contract: Hex): BloomBits {
  const bits = bitsByContract.get(contract) ?? bloomBits(contract)
  bitsByContract.set(contract, bits)
  return bits
}
