/** Blocks with all their transactions, checked against the root in their header. */
import { NodeFailure } from '@causeway/chain-kit'
import { type BlockRef, type ChainLog, RetryLater } from '@causeway/core'
import { bytesOf, hexOf } from '../bytes.ts'
import { idOf } from '../encode.ts'
import { merkleRoot } from '../merkle.ts'
import { type FullBlock, fullBlock, type Header, headers } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { parseTransaction, type Transaction } from '../transaction.ts'

export interface Landed {
  txId: string
  transaction: Transaction
  block: BlockRef
}

/** Whether a block moves no coins: every block ends with its producer's mint, and this one has nothing else. */
export function isEmpty({ transactions }: Header): boolean {
  return transactions <= 1n
}

/** The dependencies of reading blocks. */
export interface Reading {
  settings: { chainId: bigint }
  network: { name: string; finalDepth: number }
  log: ChainLog
}

/** Every transaction of this very block that moves coins. */
export async function transactionsIn(
  reading: Reading,
  node: Node,
  { number, hash }: BlockRef,
  atLeast: bigint,
): Promise<Landed[]> {
  const block = await node.ask(fullBlock(number), atLeast)
  if (block?.hash !== hash) throw new NodeFailure(`node ${node.name} has changed its block ${number}`)
  refuseAltered(node, block)
  return block.payloads.flatMap((payload) => readLanded(reading, payload, { number, hash }))
}

/**
 * Throws if the transactions do not match the block's root. Change and variable outputs are not part of a transaction's
 * id: only the root proves their amounts.
 */
function refuseAltered(node: Node, { number, transactionsRoot, payloads }: FullBlock): void {
  const root = hexOf(merkleRoot(payloads.map(({ raw }) => bytesOf(raw))))
  if (root !== transactionsRoot)
    throw new NodeFailure(`node ${node.name} shows other transactions than block ${number} has`)
}

/**
 * Decodes a transaction. An unreadable one does not stop the scan: it is logged, and reconciliation would show a
 * difference.
 */
function readLanded(
  { settings, network, log }: Reading,
  { id, raw }: { id: string; raw: string },
  block: BlockRef,
): Landed[] {
  try {
    const transaction = parseTransaction(raw)
    if (!transaction) return []
    const txId = idOf(transaction, settings.chainId)
    if (txId !== id) throw new TypeError(`its id is ${txId}`)
    return [{ txId, transaction, block }]
  } catch (error) {
    log.error({ network: network.name, id, reason: String(error) }, 'a transaction cannot be read')
    return []
  }
}

/** Headers per query. */
const PAGE = 100

/** The headers of these heights, both included. Throws if one is missing. */
export async function range(node: Node, from: bigint, to: bigint, atLeast: bigint): Promise<Header[]> {
  const found: Header[] = []
  for (let next = from, most = PAGE; next <= to; next = from + BigInt(found.length)) {
    const wanted = Math.min(most, Number(to - next) + 1)
    const { answer, count } = await asMuchAs(wanted, (count) => node.ask(headers(next, count), atLeast))
    if (answer.length < count) throw new RetryLater(`the node does not show the blocks from ${next} on`)
    if (count < wanted) most = count
    found.push(...answer)
  }
  return found
}

/** Operators limit how complex a query may be: it asks for half as many headers until the node accepts the query. */
export async function asMuchAs<T>(
  most: number,
  ask: (count: number) => Promise<T>,
): Promise<{ answer: T; count: number }> {
  for (let count = most; ; count = Math.ceil(count / 2)) {
    try {
      return { answer: await ask(count), count }
    } catch (error) {
      const isTooMuch = error instanceof Refusal && classOf(error) === 'asks too much'
      if (!isTooMuch || count === 1) throw error
    }
  }
}
