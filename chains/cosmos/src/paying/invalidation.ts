/**
 * Finds the transaction that used an account's sequence. An index is never trusted: the block is read, its transactions
 * match its header, and the one that used the sequence was executed there. A foreign transaction may show our key next
 * to its own sequence, so our own content comes first, then our key's signatures. Without an index the block is found
 * by bisecting the account's sequence.
 */
import { NodeRefusal } from '@causeway/chain-kit'
import type { BlockRef, TxHash } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { committedHeight, search, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { type Account, account } from '../node/queries.ts'
import { confirmationsAt, type Landed, type ReadBlock, readWhole } from '../scanning/blocks.ts'
import { feeIn, usedNumbers } from '../scanning/events.ts'
import { isPart, isSignedWith } from './signature.ts'
import { formatPart, type Part } from './slot.ts'

export type Use =
  | { state: 'unused' }
  /** The node cannot show which transaction used the sequence, which proves nothing. */
  | { state: 'unknown' }
  | ({ state: 'used' } & Used)

interface Used {
  hash: TxHash
  /** The signed content, which identifies the same transfer under another hash. */
  content: string | null
  block: BlockRef
  confirmations: number
  feeUnits: bigint
  isReverted: boolean
  /**
   * Whether it is the wanted transaction, or the account's key signed it. Otherwise only a node's events support it.
   */
  isProven: boolean
}

/** The transaction that is expected to have used the part (sequence number): by hash, and by content if known. */
interface Wanted {
  hash: TxHash
  content: string | null
}

interface Search {
  part: Part
  wanted: Wanted
  accountNumber: bigint
  head: bigint
}

export async function findUse(chain: CosmosChain, node: Node, part: Part, wanted: Wanted): Promise<Use> {
  const [head] = await node.ask([committedHeight()])
  const own = await accountAt(node, part, head)
  if (own === 'unknown') return { state: 'unknown' }
  if (own === null || own.sequence <= part.sequence) return { state: 'unused' }
  const wish: Search = { part, wanted, accountNumber: own.number, head }
  let told: Use = { state: 'unknown' }
  for await (const height of hinted(chain, node, part, wanted.hash)) {
    const used = height <= head ? await usedIn(chain, node, wish, height) : null
    if (used?.isProven) return used
    if (used) told = used
  }
  const height = await firstUsed(node, part, head)
  const used = height === null ? null : await usedIn(chain, node, wish, height)
  return used ?? told
}

/** Heights to check, the likeliest first. */
async function* hinted({ places }: CosmosChain, node: Node, part: Part, hash: TxHash): AsyncGenerator<bigint> {
  const [indexed] = await node.settle([transaction(hash)])
  yield* new Set(indexed instanceof Refusal ? places.of(hash) : [indexed.height, ...places.of(hash)])
  const [found] = await node.settle([search(`tx.acc_seq='${formatPart(part)}'`)])
  if (!(found instanceof Refusal)) yield* new Set(found)
}

/** The transaction in this block that used the sequence; null if none did, or the node cannot prove it. */
async function usedIn(
  chain: CosmosChain,
  node: Node,
  { part, wanted, accountNumber, head }: Search,
  height: bigint,
): Promise<({ state: 'used' } & Used) | null> {
  const read = await readWhole(chain, node, height, head)
  const carriers = read.landed.flatMap(({ transaction: found, ...rest }) =>
    found?.signers.some((signer) => isPart(signer, part)) ? [{ ...rest, transaction: found }] : [],
  )
  const isWanted = ({ hash, content }: Landed) =>
    hash === wanted.hash || (content !== null && content === wanted.content)
  const done = carriers.find((one) => isWanted(one) && one.result.code === 0)
  if (done) return { ...useOf(chain, read, done, head), isProven: true }
  // Any other transaction may be a foreign one that shows our key, unless the chain names our sequence for it and our
  // key signed it.
  const named = carriers.filter(({ result }) => usedNumbers(result.events).includes(formatPart(part)))
  const isProven = (one: (typeof named)[number]) =>
    isWanted(one) || isSignedWith(chain.settings, one.transaction, part, accountNumber)
  const user = named.find(isWanted) ?? named.find(isProven) ?? named[0]
  if (!user) return null
  // A failed transaction used the sequence only if its fee was charged; then the account's state right after the block
  // shows it.
  if (user.result.code !== 0 && (await isUsedAt(node, part, height)) !== true) return null
  return { ...useOf(chain, read, user, head), isProven: isProven(user) }
}

function useOf(
  { settings }: CosmosChain,
  { block: { number, hash: blockHash } }: ReadBlock,
  { hash, content, transaction: found, result }: Landed,
  head: bigint,
): { state: 'used' } & Omit<Used, 'isProven'> {
  const offered = found?.fee.find(({ denom }) => denom === settings.denom)?.units ?? 0n
  const taken = feeIn(result.events, settings.denom)
  return {
    state: 'used',
    hash,
    content,
    block: { number, hash: blockHash },
    confirmations: confirmationsAt(head, number),
    // The charged fee is at most the signed one, whatever an event says.
    feeUnits: taken !== null && taken <= offered ? taken : offered,
    isReverted: result.code !== 0,
  }
}

/** The first block after which the sequence was used: doubling steps backwards, then bisection. */
async function firstUsed(node: Node, part: Part, head: bigint): Promise<bigint | null> {
  let used = head
  let before = 0n
  for (let step = 1n; used - step > 0n; step *= 2n) {
    const isUsed = await isUsedAt(node, part, used - step)
    if (isUsed === null) return null
    if (!isUsed) {
      before = used - step
      break
    }
    used -= step
  }
  while (used - before > 1n) {
    const middle = (used + before) / 2n
    const isUsed = await isUsedAt(node, part, middle)
    if (isUsed === null) return null
    if (isUsed) used = middle
    else before = middle
  }
  return used
}

/** Whether the sequence was used at this height; null if the node lacks that state. */
async function isUsedAt(node: Node, part: Part, height: bigint): Promise<boolean | null> {
  const found = await accountAt(node, part, height)
  return found === 'unknown' ? null : found !== null && found.sequence > part.sequence
}

async function accountAt(node: Node, { address }: Part, height: bigint): Promise<Account | null | 'unknown'> {
  try {
    return await account(node, address, height)
  } catch (error) {
    if (error instanceof NodeRefusal) return 'unknown'
    throw error
  }
}
