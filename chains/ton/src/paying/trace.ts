/**
 * Traces a payout through the chain. Every message is a separate transaction, on another account and a little later: a
 * jetton payout is made only when the recipient's jetton wallet has executed, and undone when its bounce has.
 */
import type { Address } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { JETTON_INTERNAL_TRANSFER, JETTON_TRANSFER } from '../jetton.ts'
import { accountState, causedBy } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { History } from '../scanning/history.ts'
import { SEARCHED } from '../scanning/locate-tx.ts'
import {
  destinationOf,
  type InternalMessage,
  internalIn,
  opcodeOf,
  sourceOf,
  type TonTransaction,
} from '../transaction.ts'
import { INTERNAL_TRANSFER } from './message.ts'

export type Outcome =
  /** Some messages of the payout have not been executed yet. */
  | { state: 'pending' }
  /** Neither made nor undone, as far as visible: an operator must check. */
  | { state: 'unclear'; why: string }
  /** `touched`: the treasury's transactions of the payout, to compute its cost. */
  | { state: 'made' | 'failed'; touched: TonTransaction[] }

/** The parts of a chain that tracing needs. */
export interface Follower {
  history: History
  treasury: { address: Address }
}

/** The outcome of the transfers of this transaction of the treasury. */
export async function outcomeOf(chain: TonChain, node: Node, sent: TonTransaction): Promise<Outcome> {
  const [first] = sent.out
  if (!first) {
    // The treasury accepted the message and paid for it, but the contract does not remember it: the same message may
    // still be executed.
    if (sent.isAborted) return { state: 'unclear', why: 'the treasury took the message and then failed' }
    return { state: 'failed', touched: [sent] }
  }
  if (!isBatch(chain, first)) return together(await followAll(chain, node, sent.out), [sent])
  const batch = await consumerOf(chain, node, first)
  if (!batch) return { state: 'pending' }
  const touched = [sent, batch]
  if (batch.isAborted || batch.out.length === 0) return { state: 'failed', touched }
  return together(await followAll(chain, node, batch.out), touched)
}

/** The transaction that this message caused; null if it has not happened or is not visible. */
export async function consumerOf(
  chain: Follower,
  node: Node,
  message: InternalMessage,
): Promise<TonTransaction | null> {
  const destination = destinationOf(message)
  if (destination !== chain.treasury.address) {
    const located = await locate(node, message, destination)
    return located ?? (await walkTo(chain, node, message, destination, WALKED)).found
  }
  // The treasury's history is read anyway, and many messages to it must not hide earlier ones.
  const { found, isComplete } = await walkTo(chain, node, message, destination, SEARCHED)
  return found || isComplete ? found : locate(node, message, destination)
}

function followAll(chain: TonChain, node: Node, messages: readonly InternalMessage[]): Promise<Outcome[]> {
  return Promise.all(
    messages.map((message) =>
      // Native payouts do not bounce: the sent amount is the recipient's.
      opcodeOf(message) === JETTON_TRANSFER
        ? followJetton(chain, node, message)
        : Promise.resolve<Outcome>({ state: 'made', touched: [] }),
    ),
  )
}

/** Combines the outcomes of several transfers: all made, or all failed. A mix has no single status. */
function together(outcomes: readonly Outcome[], touched: readonly TonTransaction[]): Outcome {
  const settled = outcomes.flatMap((outcome) => ('touched' in outcome ? [outcome] : []))
  if (settled.length < outcomes.length) {
    return outcomes.find(({ state }) => state === 'unclear') ?? { state: 'pending' }
  }
  const made = settled.filter(({ state }) => state === 'made').length
  if (made > 0 && made < settled.length) {
    return { state: 'unclear', why: `${made} of ${settled.length} transfers of a batch were made` }
  }
  return {
    state: made > 0 ? 'made' : 'failed',
    touched: [...touched, ...settled.flatMap((outcome) => outcome.touched)],
  }
}

async function followJetton(chain: TonChain, node: Node, message: InternalMessage): Promise<Outcome> {
  const ours = await consumerOf(chain, node, message)
  if (!ours) return { state: 'pending' }
  if (ours.isAborted) return backHome(chain, node, 'failed', ours)
  const inner = ours.out.find((out) => opcodeOf(out) === JETTON_INTERNAL_TRANSFER)
  if (!inner) return { state: 'unclear', why: 'our jetton wallet ran and sent nothing on' }
  const theirs = await consumerOf(chain, node, inner)
  if (!theirs) return { state: 'pending' }
  if (!theirs.isAborted) return backHome(chain, node, 'made', theirs)
  const undoing = theirs.out.find(({ info }) => info.bounced)
  if (!undoing) return { state: 'unclear', why: 'the recipient failed and sent nothing back' }
  const undone = await consumerOf(chain, node, undoing)
  if (!undone) return { state: 'pending' }
  if (undone.isAborted) return { state: 'unclear', why: 'our jetton wallet did not take its units back' }
  return { state: 'failed', touched: [] }
}

/** Whether the payout's messages to the treasury (change, or a bounce) have arrived there. */
async function backHome(
  chain: TonChain,
  node: Node,
  state: 'made' | 'failed',
  { out }: TonTransaction,
): Promise<Outcome> {
  const touched: TonTransaction[] = []
  for (const message of out) {
    if (destinationOf(message) !== chain.treasury.address) continue
    const arrived = await consumerOf(chain, node, message)
    if (!arrived) return { state: 'pending' }
    touched.push(arrived)
  }
  return { state, touched }
}

function isBatch({ treasury }: TonChain, message: InternalMessage): boolean {
  return destinationOf(message) === treasury.address && opcodeOf(message) === INTERNAL_TRANSFER
}

async function locate(node: Node, message: InternalMessage, destination: Address): Promise<TonTransaction | null> {
  try {
    const found = await node.ask(causedBy(sourceOf(message), destination, message.info.createdLt))
    return isCause(message, found) ? found : null
  } catch (error) {
    // Nodes refuse in both cases: the transaction has not happened yet, or it was pruned.
    if (error instanceof Refusal) return null
    throw error
  }
}

/** How many transactions of another account are searched for one message. */
const WALKED = 300

/**
 * Searches an account for the transaction that a message caused. `isComplete`: all transactions since the message were
 * searched.
 */
async function walkTo(
  { history }: Follower,
  node: Node,
  message: InternalMessage,
  destination: Address,
  most: number,
): Promise<{ found: TonTransaction | null; isComplete: boolean }> {
  const { last } = await node.ask(accountState(destination))
  let passed = 0
  for await (const transaction of history.walk(node, destination, last)) {
    if (transaction.lt < message.info.createdLt) break
    if (isCause(message, transaction)) return { found: transaction, isComplete: true }
    if (++passed >= most) return { found: null, isComplete: false }
  }
  return { found: null, isComplete: true }
}

/** Whether the transaction was caused by this message: an account never sends two messages at one logical time. */
function isCause({ info }: InternalMessage, transaction: TonTransaction): boolean {
  const cause = internalIn(transaction)?.info
  return (
    cause !== undefined &&
    cause.createdLt === info.createdLt &&
    cause.src.equals(info.src) &&
    cause.dest.equals(info.dest)
  )
}
