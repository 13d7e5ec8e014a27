/**
 * Which transaction used an account's number. It is never taken from an index's word: the block is read, its transactions are
 * those that its header names, and the one that carries our key and the number was executed there. Where no index helps, the
 * block is found by halving: the account's own number before and after a block tells whether it was used there.
 */
import { type BlockRef, NodeRefusal, type TxHash } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { committedHeight, search, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { account } from '../node/queries.ts'
import { confirmationsAt, type Landed, type ReadBlock, readWhole } from '../scanning/blocks.ts'
import { feeIn, usedNumbers } from '../scanning/events.ts'
import { formatPart, type Part } from './slot.ts'

export type Use =
  | { state: 'unused' }
  /** The node cannot show by what, which proves nothing. */
  | { state: 'unknown' }
  | ({ state: 'used' } & Used)

interface Used {
  hash: TxHash
  /** What was signed, by which the same transfer is known under another name. */
  content: string | null
  block: BlockRef
  confirmations: number
  feeUnits: bigint
  isReverted: boolean
}

/** `hashes`: transactions that may well have used it, of which the index is asked first. */
export async function findUse(chain: CosmosChain, node: Node, part: Part, hashes: readonly TxHash[]): Promise<Use> {
  const [head] = await node.ask([committedHeight()])
  const isUsed = await isUsedAt(node, part, head)
  if (isUsed !== true) return { state: isUsed === null ? 'unknown' : 'unused' }
  for await (const height of hinted(chain, node, part, hashes)) {
    const used = height <= head ? await usedIn(chain, node, part, height, head) : null
    if (used) return used
  }
  const height = await firstUsed(node, part, head)
  if (height === null) return { state: 'unknown' }
  return (await usedIn(chain, node, part, height, head)) ?? { state: 'unknown' }
}

/** Heights worth a look, the likeliest first. */
async function* hinted(
  { places }: CosmosChain,
  node: Node,
  part: Part,
  hashes: readonly TxHash[],
): AsyncGenerator<bigint> {
  for (const hash of hashes) {
    const [indexed] = await node.settle([transaction(hash)])
    yield* new Set(indexed instanceof Refusal ? places.of(hash) : [indexed.height, ...places.of(hash)])
  }
  const [found] = await node.settle([search(`tx.acc_seq='${formatPart(part)}'`)])
  if (!(found instanceof Refusal)) yield* new Set(found)
}

/** The transaction in this block that used the number; null where none of it did, or the node cannot prove it. */
async function usedIn(
  chain: CosmosChain,
  node: Node,
  part: Part,
  height: bigint,
  head: bigint,
): Promise<({ state: 'used' } & Used) | null> {
  const read = await readWhole(chain, node, height, head)
  const carriers = read.landed.filter(({ transaction: found }) =>
    found?.signers.some(({ address, sequence }) => address === part.address && sequence === part.sequence),
  )
  const done = carriers.find(({ result }) => result.code === 0)
  if (done) return useOf(chain, read, done, head)
  // One that failed used the number only if it was paid for; then the account's state right after the block shows it.
  const failed = carriers.find(({ result }) => usedNumbers(result.events).includes(formatPart(part)))
  if (!failed || (await isUsedAt(node, part, height)) !== true) return null
  return useOf(chain, read, failed, head)
}

function useOf(
  { settings }: CosmosChain,
  { block: { number, hash: blockHash } }: ReadBlock,
  { hash, content, transaction: found, result }: Landed,
  head: bigint,
): { state: 'used' } & Used {
  const offered = found?.fee.find(({ denom }) => denom === settings.denom)?.units ?? 0n
  const taken = feeIn(result.events, settings.denom)
  return {
    state: 'used',
    hash,
    content,
    block: { number, hash: blockHash },
    confirmations: confirmationsAt(head, number),
    // No more can have been taken than was signed for, whatever an event says.
    feeUnits: taken !== null && taken <= offered ? taken : offered,
    isReverted: result.code !== 0,
  }
}

/** The first block after which the number was used. Steps double backwards, then the last one is halved. */
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

/** Null where the node does not have that state: it proves nothing. */
async function isUsedAt(node: Node, { address, sequence }: Part, height: bigint): Promise<boolean | null> {
  try {
    const found = await account(node, address, height)
    return found !== null && found.sequence > sequence
  } catch (error) {
    if (error instanceof NodeRefusal) return null
    throw error
  }
}
