/**
 * The `Transfer` logs of listed tokens and the `Deposited` and `Swept` logs of our own contracts in blocks that were read before, and surely of these very blocks: a node that
 * lags or changed its chain in between is noticed, because a log missed here would be a deposit missed for ever.
 */
import { RetryLater } from '@causeway/core'
import type { Hex } from 'viem'
import type { EvmChain } from '../chain.ts'
import { DEPOSITED_TOPIC } from '../depositing/depository.ts'
import { factoryAddress } from '../depositing/forwarder.ts'
import { type Block, type Log, logs } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type BloomBits, bloomBits, mayContain } from './bloom.ts'
import { SWEPT_TOPIC } from './inner.ts'
import { logsBetween, type RangeFilter } from './ranges.ts'
import { TRANSFER_TOPIC } from './transfers.ts'

export async function transferLogs(
  chain: EvmChain,
  node: Node,
  all: readonly Block[],
): Promise<ReadonlyMap<string, Log[]>> {
  const address = [...chain.tokens.keys(), ...chain.contracts.depositories, factoryAddress(chain.treasury)]
  const filter = { address, topics: [TOPICS] }
  const blocks = all.filter(({ transactions }) => transactions.length > 0)
  const byBlock = new Map<string, Log[]>(blocks.map(({ hash }) => [hash, []]))
  if (blocks.length === 0) return byBlock
  const ranged = blocks.length > 1 ? await logsOfRange(node, blocks, filter) : null
  for (const log of ranged ?? []) logsOf(byBlock, log).push(log)

  // Asked by its hash, a block that the node does not have is an error and not an empty list.
  const doubtful = ranged === null ? blocks : blocks.filter((block) => isLacking(chain, block, byBlock))
  if (doubtful.length === 0) return byBlock
  const answers = await node.ask(doubtful.map(({ hash }) => logs({ ...filter, blockHash: hash })))
  for (const log of answers.flat()) logsOf(byBlock, log).push(log)
  return byBlock
}

/** Null where the node answers no such question. */
function logsOfRange(node: Node, blocks: readonly Block[], filter: RangeFilter): Promise<Log[] | null> {
  const numbers = blocks.map(({ number }) => number)
  return logsBetween(node, filter, numbers[0] ?? 0n, numbers.at(-1) ?? 0n)
}

function logsOf(byBlock: Map<string, Log[]>, log: Log): Log[] {
  const list = byBlock.get(log.blockHash)
  if (!list) throw new RetryLater('the chain changed while it was read')
  return list
}

/** The block came without logs though its bloom filter says that it may have some. */
function isLacking(chain: EvmChain, block: Block, byBlock: ReadonlyMap<string, Log[]>): boolean {
  if (byBlock.get(block.hash)?.length) return false
  const mayHave = (topic: BloomBits, contracts: Iterable<string>) =>
    mayContain(block.logsBloom, topic) &&
    [...contracts].some((contract) => mayContain(block.logsBloom, contractBits(contract as Hex)))
  return (
    mayHave(TRANSFER_BITS, chain.tokens.keys()) ||
    mayHave(DEPOSITED_BITS, chain.contracts.depositories) ||
    mayHave(SWEPT_BITS, [factoryAddress(chain.treasury)])
  )
}

const TOPICS = [TRANSFER_TOPIC, DEPOSITED_TOPIC, SWEPT_TOPIC]
const TRANSFER_BITS = bloomBits(TRANSFER_TOPIC)
const DEPOSITED_BITS = bloomBits(DEPOSITED_TOPIC)
const SWEPT_BITS = bloomBits(SWEPT_TOPIC)
const bitsByContract = new Map<string, BloomBits>()

/** Listed contracts only, so this stays small. */
function contractBits(contract: Hex): BloomBits {
  const bits = bitsByContract.get(contract) ?? bloomBits(contract)
  bitsByContract.set(contract, bits)
  return bits
}
