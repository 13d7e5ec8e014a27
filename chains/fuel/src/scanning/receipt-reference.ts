/**
 * The swap that a transaction names by its receipts. The sender chooses their number and size: if no node returns them,
 * the money is kept without a reference, and an operator decides.
 */
import { boundedMap, NodeFailure, NodeRefusal } from '@causeway/chain-kit'
import { isReference } from '@causeway/core'
import { receiptsOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isRootOf, logsOf, type Receipt } from '../receipts.ts'
import { receiptsRootOf } from '../transaction.ts'
import type { Landed } from './blocks.ts'

export interface ReceiptReference {
  reference: bigint | null
  doubt: string | null
}

export interface ReceiptReferences {
  /** The reference of a transaction. Throws if the node may return it later. */
  of(node: Node, landed: Landed, watchdogs: ReadonlySet<string>): Promise<ReceiptReference>
}

export const NO_WORD: ReceiptReference = { reference: null, doubt: null }
const UNTOLD: ReceiptReference = { reference: null, doubt: 'no node tells what its script wrote' }
const ALTERED: ReceiptReference = {
  reference: null,
  doubt: 'what the node tells of its script is not what the block says',
}
/** How often a failing node is tried: it may work at the next scan. */
const TRIES = 3
/** After that it is not retried for this long: each query may take as long as a node's timeout. */
const REST_MS = 60_000
const MOST_REMEMBERED = 10_000
/** Length of a reference: a 64-bit number, the highest byte first. */
const NUMBER_BYTES = 8

export function openReceiptReferences(): ReceiptReferences {
  const failures = boundedMap<string, { tries: number; at: number }>(MOST_REMEMBERED)
  return {
    async of(node, landed, watchdogs) {
      const key = `${node.name} ${landed.txId}`
      const { tries, at } = failures.get(key) ?? { tries: 0, at: 0 }
      if (tries >= TRIES && Date.now() - at < REST_MS) return UNTOLD
      try {
        const word = await wordOf(node, landed, watchdogs)
        failures.delete(key)
        return word
      } catch (error) {
        if (!(error instanceof NodeFailure || error instanceof NodeRefusal)) throw error
        failures.delete(key)
        failures.set(key, { tries: tries + 1, at: Date.now() })
        if (tries + 1 < TRIES) throw error
        return UNTOLD
      }
    },
  }
}

async function wordOf(
  node: Node,
  { txId, transaction, block }: Landed,
  watchdogs: ReadonlySet<string>,
): Promise<ReceiptReference> {
  const root = receiptsRootOf(transaction)
  if (root === null) return NO_WORD
  const run = await node.ask(receiptsOf(txId), block.number)
  if (run?.block.hash !== block.hash) throw new NodeFailure(`node ${node.name} has changed its block ${block.number}`)
  // A failed script is reverted, but the coin outputs are paid anyway.
  if (!run.isSuccess) return NO_WORD
  if (!isRootOf(root, run.receipts)) return ALTERED
  const logs = logsIn(node, run.receipts, watchdogs)
  const [only] = logs
  if (!only || logs.length !== 1 || only.length !== NUMBER_BYTES) return NO_WORD
  const number = only.readBigUInt64BE()
  return { reference: isReference(number) ? number : null, doubt: null }
}

/** The watchdogs' logs. The root covers only the digest of a log; the node must supply the data. */
function logsIn(node: Node, receipts: readonly Receipt[], watchdogs: ReadonlySet<string>): Buffer[] {
  try {
    return logsOf(receipts, watchdogs)
  } catch (error) {
    throw new NodeFailure(`of node ${node.name}: ${String(error)}`)
  }
}
