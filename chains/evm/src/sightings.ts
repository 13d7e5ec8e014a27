/** The deposits in blocks that were read with their logs: one question to the watchlist, one round to the node. */
import { RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import { type Block, code, type Log, receipt, type Transaction } from './calls.ts'
import type { EvmChain } from './chain.ts'
import type { Node } from './node.ts'
import {
  depositsAmong,
  isContract,
  type Movement,
  movementsOf,
  nativeMovement,
  referenceOf,
  tokenMovement,
  toSighting,
} from './transfers.ts'

export interface BlockWithLogs extends Block {
  /** Transfers of listed tokens. */
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
  const contracts = new Set(senders.filter((_, i) => isContract(codes[i] ?? '0x')))
  return transactions.flatMap(({ transaction, block }, i) => {
    const proof = receipts[i]
    if (proof?.block.hash !== block.hash) throw new RetryLater('the chain changed while it was read')
    const movements = movementsOf(chain, transaction, proof)
    const reference = referenceOf(transaction, movements, owned)
    return depositsAmong(movements, owned).map((deposit) => toSighting(deposit, proof, reference, contracts))
  })
}

interface Candidate {
  txHash: string
  movement: Movement
}

/** Before its receipt is read a transaction may still have failed, and a log's place in it is not known. */
function candidatesIn(chain: EvmChain, block: BlockWithLogs): Candidate[] {
  const native = block.transactions.map((transaction) => ({
    txHash: transaction.hash,
    movement: nativeMovement(chain, transaction),
  }))
  const tokens = block.logs.map((log) => ({ txHash: log.txHash, movement: tokenMovement(chain, log, 0) }))
  return [...native, ...tokens].flatMap(({ txHash, movement }) => (movement ? [{ txHash, movement }] : []))
}

/** The transactions with a hit, each once, in the order of the chain. */
function transactionsOf(
  hits: readonly Candidate[],
  blocks: readonly BlockWithLogs[],
): { block: BlockWithLogs; transaction: Transaction }[] {
  const hashes = new Set(hits.map(({ txHash }) => txHash))
  return blocks.flatMap((block) =>
    block.transactions.filter(({ hash }) => hashes.has(hash)).map((transaction) => ({ block, transaction })),
  )
}
