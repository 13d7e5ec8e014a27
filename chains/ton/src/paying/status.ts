/**
 * The status of a signed payout. "Dead" needs one of two proofs, both from the treasury's own linked history on every
 * node, at final depth: another message used its query id, or it expired and is not there. "Reverted" at final depth
 * needs every node too.
 */
import { quorumStatus } from '@causeway/chain-kit'
import {
  type BlockRef,
  Bug,
  type InvalidationProof,
  type SentTransfer,
  type TransferStatus,
  type TxHash,
} from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { JETTON_TRANSFER } from '../jetton.ts'
import { accountState, blockHeader, getMethod } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { confirmationsAt } from '../scanning/blocks.ts'
import { find, SEARCHED } from '../scanning/locate-tx.ts'
import { drainOf, opcodeOf, type TonTransaction } from '../transaction.ts'
import { INTERNAL_TRANSFER, queryIn } from './message.ts'
import { expiryOf, type Query, queryOf } from './slot.ts'
import { outcomeOf } from './trace.ts'

/** Shards may lag this much behind the masterchain's clock, with a margin. */
const EXPIRY_MARGIN_SECONDS = 300

export async function status(chain: TonChain, { hash, slot, account }: SentTransfer): Promise<TransferStatus> {
  if (account !== chain.treasury.address) throw new Bug('not our treasury', { account })
  const query = queryOf(slot)
  const look = (node: Node) => lookUp(chain, node, hash, query)
  const seen = await chain.rpc.agreed(look, named)
  if (seen) return quorumStatus(chain, seen, async (node) => (await look(node)) ?? { state: 'unknown' })
  const final = await expiredBy(chain, hash, query)
  return final ? { state: 'dead', evidence: overBy(query, final) } : { state: 'unknown' }
}

async function lookUp(chain: TonChain, node: Node, hash: TxHash, query: Query): Promise<TransferStatus | null> {
  const past = await search(chain, node, hash, query)
  if (past.found) return landed(chain, node, past.found, past.head)
  if (!past.rival) return null
  const block = await chain.blocks.of(node, past.rival)
  const isFinal = confirmationsAt(past.head, block) >= chain.network.finalDepth
  return isFinal ? { state: 'dead', evidence: usedBy(past.rival, query, block) } : { state: 'unknown' }
}

/** Nodes may differ about a pending message; that is no fault. */
function named(seen: TransferStatus | null): string {
  if (seen?.state === 'included' || seen?.state === 'reverted') return `${seen.state} ${seen.block.hash}`
  return seen?.state === 'dead' ? `dead ${seen.evidence.usedBy}` : 'waits'
}

function usedBy({ inHash, hash }: TonTransaction, { id }: Query, block: BlockRef): InvalidationProof {
  const reason = `query id ${id} was used by another message, in transaction ${hash}, which is final`
  return { usedBy: inHash, block, reason }
}

function overBy(query: Query, block: BlockRef): InvalidationProof {
  const reason = `its time was over at ${expiryOf(query)}, and it is not in the treasury's past up to block ${block.number}`
  return { usedBy: null, block, reason }
}

interface Past {
  head: BlockRef
  /** The chain's clock at the end of this history, in unix seconds. */
  time: number
  found: TonTransaction | null
  /** Another message that used the query id while this one was valid, and so blocks it until it expires. */
  rival: TonTransaction | null
  /** Whether everything since the slot's start was read and decoded. */
  isComplete: boolean
}

async function search(chain: TonChain, node: Node, hash: TxHash, query: Query): Promise<Past> {
  const { head, last, time } = await node.ask(accountState(chain.treasury.address))
  const isBefore = ({ now }: TonTransaction) => now < query.createdAt
  let rival: TonTransaction | null = null
  let isReadable = true
  let passed = 0
  for await (const transaction of chain.history.walk(node, chain.treasury.address, last)) {
    // The contract accepts a message only from its start time on.
    if (isBefore(transaction)) break
    if (transaction.inHash === hash) return { head, time, found: transaction, rival: null, isComplete: true }
    if (transaction.isUnreadable) isReadable = false
    if (transaction.in && queryIn(transaction.in)?.id === query.id) rival = transaction
    if (++passed < SEARCHED) continue
    // There are too many transactions for one read. Several reads find out whether the message was executed, and
    // nothing else is concluded.
    const found = await find(chain, node, last, hash, isBefore)
    return { head, time, found, rival: null, isComplete: false }
  }
  return { head, time, found: null, rival: isReadable ? rival : null, isComplete: isReadable }
}

async function landed(
  chain: TonChain,
  node: Node,
  transaction: TonTransaction,
  head: BlockRef,
): Promise<TransferStatus> {
  const outcome = await outcomeOf(chain, node, transaction)
  if (outcome.state === 'unclear') {
    const { network, log } = chain
    log.error({ network: network.name, transaction: transaction.hash, why: outcome.why }, 'a payout must be looked at')
    return { state: 'pending' }
  }
  if (outcome.state === 'pending') return { state: 'pending' }
  const block = await chain.blocks.of(node, transaction)
  const cost = outcome.touched.reduce((sum, each) => sum + drainOf(each), 0n)
  const feeUnits = outcome.state === 'made' ? cost - nativePaid(outcome.touched) : cost
  const confirmations = confirmationsAt(head, block)
  return { state: outcome.state === 'made' ? 'included' : 'reverted', block, confirmations, feeUnits }
}

/** TON sent to recipients: neither to our jetton wallets nor to ourselves. */
function nativePaid(touched: readonly TonTransaction[]): bigint {
  const sent = touched.flatMap(({ out }) => out)
  return sent
    .filter((message) => opcodeOf(message) !== JETTON_TRANSFER && opcodeOf(message) !== INTERNAL_TRANSFER)
    .reduce((sum, { info }) => sum + info.value.coins, 0n)
}

/**
 * The final block whose clock is past its expiry, if it is not in the history up to there. Every node must agree: one
 * that lags, or has pruned history, would otherwise allow a second payment.
 */
async function expiredBy(chain: TonChain, hash: TxHash, query: Query): Promise<BlockRef | null> {
  const final = await chain.rpc.use((node) => overAt(chain, node, query))
  if (!final) return null
  const agreed = await chain.rpc.every(async (node) => {
    if (!(await overAt(chain, node, query)) || (await isProcessed(chain, node, query))) return false
    // The history must reach beyond the expiry: the backend that answers may be another one than the one that reported
    // the time.
    const { found, rival, isComplete, time } = await search(chain, node, hash, query)
    return time > overOf(query) && isComplete && found === null && rival === null
  })
  return agreed.every((isDead) => isDead) ? final : null
}

/** The block at final depth, if the chain's clock there is past the slot's expiry. */
async function overAt({ network, treasury }: TonChain, node: Node, query: Query): Promise<BlockRef | null> {
  const { head, time } = await node.ask(accountState(treasury.address))
  const over = overOf(query)
  const final = head.number - BigInt(network.finalDepth)
  if (time <= over || final < 1n) return null
  const block = await node.ask(blockHeader(final))
  return block.time > over ? { number: block.number, hash: block.hash } : null
}

function overOf(query: Query): number {
  return expiryOf(query) + EXPIRY_MARGIN_SECONDS
}

/** Whether the contract remembers the query id. Only a yes proves something: later the contract forgets it. */
async function isProcessed({ treasury }: TonChain, node: Node, { id }: Query): Promise<boolean> {
  const number = (value: bigint) => ({ type: 'int', value }) as const
  const { stack } = await node.ask(getMethod(treasury.address, 'processed?', [number(BigInt(id)), number(0n)]))
  const [answer] = stack
  return answer?.type === 'num' && answer.value !== 0n
}
