/**
 * The re-read of one transaction before money moves. The same bytes can stand in two blocks, refused in one and executed in
 * the other, and an index may show the refused one: each place that is known is looked at.
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

/** What nodes must agree on: all but how far each of them has come. */
function nameOf(seen: Inspection): string {
  return JSON.stringify({ ...seen, confirmations: 0 }, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

/** What a block brought by itself. */
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
    // It was paid for and failed: its number is used up, and it lands nowhere else.
    if (usedNumbers(landed.result.events).length > 0) break
  }
  const elsewhere = failed && (await executed(chain, node, hash, indexed, head, ours))
  if (elsewhere) return elsewhere
  // What was seen in a final block does not go away because a node or its index says something else now.
  if (seen.length > 0) throw new RetryLater('a node does not show a transaction as it was seen')
  return failed ?? { state: 'unknown' }
}

/** Refused where it was found: it may have been executed elsewhere, in the block that used its first signer's number. */
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
  if (!signer?.address) throw new RetryLater('a transaction was refused in a block, and may stand in another one')
  const wanted = { hash, content: null }
  const use = await findUse(chain, node, { address: signer.address, sequence: signer.sequence }, wanted)
  if (use.state === 'unknown') throw new RetryLater('a node cannot show where the number of a transaction was used')
  if (use.state === 'unused' || use.hash !== hash || use.isReverted) return null
  return includedIn(chain, node, await readWhole(chain, node, use.block.number, head), hash, head, ours)
}

/** One that was executed stands before those that were refused. */
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
