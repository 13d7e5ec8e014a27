/** Locates one transaction: in a canonical block, in the mempool, or unknown to the node. */
import { type BlockRef, RetryLater } from '@causeway/core'
import { header, mempoolEntry, NOT_FOUND, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { Outpoint, Output, Transaction } from '../transaction.ts'

export type Located =
  | { state: 'unknown' }
  | { state: 'pending'; transaction: Transaction }
  | { state: 'included'; transaction: Transaction; block: BlockRef; confirmations: number }

export async function locate(node: Node, txid: string): Promise<Located> {
  const found = orNull((await node.settle([transaction(txid)]))[0])
  if (!found) return { state: 'unknown' }
  if (found.blockHash !== null) {
    // Core's index keeps the block of a transaction even if that block was replaced since.
    const at = orNull((await node.settle([header(found.blockHash)]))[0])
    if (at && at.confirmations > 0) {
      const block = { number: BigInt(at.height), hash: found.blockHash }
      return { state: 'included', transaction: found, block, confirmations: at.confirmations }
    }
  }
  const waiting = orNull((await node.settle([mempoolEntry(txid)]))[0])
  return waiting ? { state: 'pending', transaction: found } : { state: 'unknown' }
}

/** The answer, or null for "not found"; any other refusal is thrown. */
export function orNull<T>(answer: T | Refusal): T | null {
  if (!(answer instanceof Refusal)) return answer
  if (answer.code === NOT_FOUND) return null
  throw answer
}

/** The outputs that these inputs spend, in the order of the inputs. */
export async function spentOutputs(node: Node, inputs: readonly Outpoint[]): Promise<Output[]> {
  const txids = [...new Set(inputs.map(({ txid }) => txid))]
  const found = await node.ask(txids.map((txid) => transaction(txid)))
  const byId = new Map(found.map((one) => [one.txid, one]))
  return inputs.map(({ txid, vout }) => {
    const output = byId.get(txid)?.outputs[vout]
    if (!output) throw new RetryLater(`the node does not show ${txid}:${vout}`)
    return output
  })
}

export function sumOf(outputs: readonly { units: bigint }[]): bigint {
  return outputs.reduce((sum, { units }) => sum + units, 0n)
}
