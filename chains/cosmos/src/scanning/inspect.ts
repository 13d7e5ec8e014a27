/**
 * Re-reads one transaction before money moves. The same bytes can be in two blocks, rejected in one and executed in the
 * other, and an index may show the rejected one. So each known position is checked.
 */
import { type Inspection, RetryLater, type TxHash, type Watchlist } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { findUse } from '../paying/invalidation.ts'
import { readTransaction } from '../transaction.ts'
import { confirmationsAt, type ReadBlock, readWhole } from './blocks.ts'
import { usedNumbers } from './events.ts'
import { headOf } from './head.ts'
import { heightOfPlace, sightingsIn } from './sightings.ts'

export async function inspect(chain: CosmosChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const place = heightOfPlace(txHash)
  if (place !== null) return chain.rpc.agreed((node) => lookBeside(chain, node, place, ours), nameOf)
  const hash = txHash.toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(hash)) return { state: 'unknown' }
  return chain.rpc.agreed((node) => lookAt(chain, node, hash, ours), nameOf)
}

/** The parts that nodes must agree on: everything except the confirmations. */
function nameOf(seen: Inspection): string {
  return JSON.stringify({ ...seen, confirmations: 0 }, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

/** Inspects coins that a block itself transferred, outside any transaction. */
async function lookBeside(chain: CosmosChain, node: Node, height: bigint, ours: Watchlist): Promise<Inspection> {
  const { height: head } = await headOf(chain, node)
  if (height > head) return { state: 'unknown' }
  const read = await readWhole(chain, node, height, head)
  const { number, hash } = read.block
  return {
    state: 'included',
    block: { number, hash },
    confirmations: confirmationsAt(head, number),
    sightings: await sightingsIn(chain, node, [{ ...read, landed: [] }], ours),
  }
}

async function lookAt(chain: CosmosChain, node: Node, hash: TxHash, ours: Watchlist): Promise<Inspection> {
  const { height: head } = await headOf(chain, node)
  const [indexed] = await node.settle([transaction(hash)])
  const shown = indexed instanceof Refusal ? [] : [indexed.height]
  const seen = chain.places.of(hash)
  let failed: Inspection | null = null
  for (const height of new Set([...seen, ...shown])) {
    const read = await readWhole(chain, node, height, head)
    const [landed] = occurrences(read, hash)
    if (landed?.result.code === 0) return includedIn(chain, node, read, hash, head, ours)
    if (!landed) continue
    const { number, hash: blockHash } = read.block
    const block = { number, hash: blockHash }
    failed = { state: 'failed', block, confirmations: confirmationsAt(head, number) }
    // The transaction's fee was charged and it failed: its sequence is used, and it cannot be executed in another
    // block.
    if (usedNumbers(landed.result.events).length > 0) break
  }
  const elsewhere = failed && (await executed(chain, node, hash, indexed, head, ours))
  if (elsewhere) return elsewhere
  // A transaction seen in a final block does not disappear because a node or its index now says otherwise.
  if (seen.length > 0) throw new RetryLater('a node does not show a transaction as it was seen')
  return failed ?? { state: 'unknown' }
}

/**
 * The transaction was rejected in this block. It may have been executed in another one, which used its first signer's
 * sequence: looks there.
 */
async function executed(
  chain: CosmosChain,
  node: Node,
  hash: TxHash,
  indexed: Refusal | { bytes: Uint8Array },
  head: bigint,
  ours: Watchlist,
): Promise<Inspection | null> {
  if (indexed instanceof Refusal) return null
  const [signer] = readTransaction(indexed.bytes, chain.settings)?.signers ?? []
  if (!signer?.address) throw new RetryLater('a transaction was rejected in one block and may be in another one')
  const wanted = { hash, content: null }
  const use = await findUse(chain, node, { address: signer.address, sequence: signer.sequence }, wanted)
  if (use.state === 'unknown') throw new RetryLater('a node cannot show where the sequence of a transaction was used')
  if (use.state === 'unused' || use.hash !== hash || use.isReverted) return null
  return includedIn(chain, node, await readWhole(chain, node, use.block.number, head), hash, head, ours)
}

/** All occurrences of a hash in a block, the executed one first. */
function occurrences({ landed }: ReadBlock, hash: TxHash) {
  return landed.filter((one) => one.hash === hash).toSorted((a, b) => a.result.code - b.result.code)
}

async function includedIn(
  chain: CosmosChain,
  node: Node,
  read: ReadBlock,
  hash: TxHash,
  head: bigint,
  ours: Watchlist,
): Promise<Inspection> {
  const only = { ...read, events: [], landed: read.landed.filter((one) => one.hash === hash) }
  const { number, hash: blockHash } = read.block
  return {
    state: 'included',
    block: { number, hash: blockHash },
    confirmations: confirmationsAt(head, number),
    sightings: await sightingsIn(chain, node, [only], ours),
  }
}
