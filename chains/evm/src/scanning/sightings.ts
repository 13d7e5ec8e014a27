/** The deposits in blocks that were read with their logs, with one watchlist query and one round of node calls. */
import { RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import { zeroAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { type Block, code, type Log, receipt, type Transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import {
  depositsAmong,
  isContract,
  type Movement,
  movementsOf,
  nativeDeposit,
  nativeMovement,
  referenceOf,
  tokenMovement,
  toSighting,
} from './transfers.ts'

export interface BlockWithLogs extends Block {
  /** Transfers of listed tokens, and events of our Depository. */
  logs: Log[]
}

export async function sightingsIn(
  chain: EvmChain,
  node: Node,
  blocks: readonly BlockWithLogs[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const candidates = blocks.flatMap((block) => candidatesIn(chain, block))
  if (candidates.length === 0) return []
  const owned = await ours.owned([...new Set(candidates.flatMap(({ movement }) => [movement.from, movement.to]))])
  const hits = candidates.filter(({ movement }) => depositsAmong([movement], owned).length > 0)
  if (hits.length === 0) return []

  const transactions = transactionsOf(hits, blocks)
  const senders = [...new Set(hits.map(({ movement }) => movement.from))]
  const [receipts, codes] = await Promise.all([
    node.ask(transactions.map(({ transaction }) => receipt(transaction.hash))),
    node.ask(senders.map((sender) => code(sender))),
  ])
  const found = transactions.flatMap(({ transaction, block }, i) => {
    const proof = receipts[i]
    if (proof?.block.hash !== block.hash) throw new RetryLater('the chain changed while it was read')
    const movements = movementsOf(chain, transaction, proof)
    const reference = referenceOf(transaction, movements, owned)
    return depositsAmong(movements, owned).map((deposit) => ({ deposit, proof, reference }))
  })
  const known = new Map(senders.map((sender, i) => [sender, codes[i] ?? '0x']))
  // The payer behind a deposit through our contracts is only known from the receipt.
  const more = [...new Set(found.map(({ deposit }) => deposit.from))].filter((sender) => !known.has(sender))
  const later = more.length > 0 ? await node.ask(more.map((sender) => code(sender))) : []
  for (const [i, sender] of more.entries()) known.set(sender, later[i] ?? '0x')
  const contracts = new Set([...known].flatMap(([sender, standing]) => (isContract(standing) ? [sender] : [])))
  return found.map(({ deposit, proof, reference }) => toSighting(deposit, proof, reference, contracts))
}

interface Candidate {
  txHash: string
  movement: Movement
}

/**
 * The transactions that may contain deposits. Before its receipt is read, a transaction may have failed, and the
 * position of a log in it is unknown.
 */
function candidatesIn(chain: EvmChain, block: BlockWithLogs): Candidate[] {
  const native = block.transactions.map((transaction) => ({
    txHash: transaction.hash,
    movement: nativeMovement(chain, transaction),
  }))
  const logged = block.logs.map((log) => ({
    txHash: log.txHash,
    movement: tokenMovement(chain, log, 0) ?? nativeDeposit(chain, log, 0, zeroAddress),
  }))
  return [...native, ...logged].flatMap(({ txHash, movement }) => (movement ? [{ txHash, movement }] : []))
}

/** The transactions with a candidate, each once, in the order of the chain. */
function transactionsOf(
  hits: readonly Candidate[],
  blocks: readonly BlockWithLogs[],
): { block: BlockWithLogs; transaction: Transaction }[] {
  const hashes = new Set(hits.map(({ txHash }) => txHash))
  return blocks.flatMap((block) =>
    block.transactions.filter(({ hash }) => hashes.has(hash)).map((transaction) => ({ block, transaction })),
  )
}
