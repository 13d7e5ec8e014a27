/** Locates one transaction: in a canonical block, pending, or unknown to the node. */
import { NodeFailure } from '@causeway/chain-kit'
import type { BlockRef } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { head, headers, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Landed, transactionsIn } from './blocks.ts'

export type Located =
  | { state: 'unknown' }
  | { state: 'pending' }
  | { state: 'included'; landed: Landed; confirmations: number; isSuccess: boolean }

export function isTxId(text: string): boolean {
  return /^0x[0-9a-f]{64}$/.test(text)
}

/** Locates a transaction. Everything is read from one state of the chain, no older than `since`. */
export async function locate(chain: FuelChain, node: Node, txId: string, since = 0n): Promise<Located> {
  const top = await node.ask(head(), since)
  const found = await node.ask(transaction(txId), top.number)
  if (!found) return { state: 'unknown' }
  if (!found.landed) return found.isWaiting ? { state: 'pending' } : { state: 'unknown' }
  const { block, isSuccess } = found.landed
  // The transaction may have been mined in a block that arrived meanwhile.
  const newest = block.number > top.number ? block : top
  const [standing] = await node.ask(headers(block.number, 1), newest.number)
  if (standing?.hash !== block.hash) return { state: 'unknown' }
  const landed = await landedIn(chain, node, txId, block, newest.number)
  return { state: 'included', landed, confirmations: Number(newest.number - block.number) + 1, isSuccess }
}

/** The transaction as in its block: other fields that a node returns are not covered by a hash. */
async function landedIn(chain: FuelChain, node: Node, txId: string, block: BlockRef, atLeast: bigint): Promise<Landed> {
  const all = await transactionsIn(chain, node, block, atLeast)
  const landed = all.find((one) => one.txId === txId)
  if (!landed) throw new NodeFailure(`node ${node.name} says that ${txId} is in block ${block.number}, which is not so`)
  return landed
}
