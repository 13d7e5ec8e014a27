/**
 * The status of a signed transfer. "Dead" lets a payout be signed again with other UTXOs, so it needs proof: another
 * transaction spent one of its inputs, or an input of an unconfirmed parent, in a final block, on every node.
 */
import type { InvalidationProof, SentTransfer, SignedBefore, TransferStatus, TxHash } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { isUnspent } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate, spentOutputs, sumOf } from '../scanning/locate-tx.ts'
import { type Outpoint, outpointOf, parseTransaction } from '../transaction.ts'

/** Limit of a chain of pending transactions: nodes accept 25, and ours are never longer. */
const LONGEST_CHAIN = 25

export async function status(
  chain: BitcoinChain,
  sent: SentTransfer,
  signedBefore: SignedBefore,
): Promise<TransferStatus> {
  const seen = await chain.rpc.agreed(
    (node) => lookUp(node, sent.hash),
    // Nodes may differ about a pending transaction; that is no fault.
    (found) => ('block' in found ? `${found.state} ${found.block.hash}` : 'waits'),
  )
  if (seen.state !== 'unknown') return seen
  const evidence = await deathOf(chain, sent, signedBefore)
  return evidence ? { state: 'dead', evidence } : { state: 'unknown' }
}

async function lookUp(node: Node, hash: TxHash): Promise<TransferStatus> {
  const found = await locate(node, hash)
  if (found.state !== 'included') return { state: found.state }
  const { transaction, block, confirmations } = found
  const spent = await spentOutputs(node, transaction.inputs ?? [])
  return { state: 'included', block, confirmations, feeUnits: sumOf(spent) - sumOf(transaction.outputs) }
}

interface Rival {
  coin: Outpoint
  txid: TxHash
  /**
   * The transfer and its unconfirmed parents, down to the one whose input the rival spent: none of them can be mined.
   */
  doomed: TxHash[]
}

async function deathOf(
  chain: BitcoinChain,
  { hash, slot }: SentTransfer,
  signedBefore: SignedBefore,
): Promise<InvalidationProof | null> {
  const coins = slot.map(outpointOf).filter((coin) => coin !== null)
  const rival = await chain.rpc.use((node) => findRival(chain, node, coins, [hash], signedBefore))
  if (!rival) return null
  const proofs = await chain.rpc.every((node) => provenBy(chain, node, rival))
  const [first] = proofs
  return first && proofs.every((proof) => proof?.block.hash === first.block.hash) ? first : null
}

/**
 * A mined transaction that spent one of these UTXOs. A UTXO that is in no block yet may never exist: then its parent
 * transaction, which we signed ourselves, is checked in the same way.
 */
async function findRival(
  chain: BitcoinChain,
  node: Node,
  coins: readonly Outpoint[],
  doomed: TxHash[],
  signedBefore: SignedBefore,
): Promise<Rival | null> {
  const unspent = await node.ask(coins.map((coin) => isUnspent(coin)))
  const gone = coins.filter((_, position) => unspent[position] === false)
  for (const coin of gone) {
    const txid = await chain.spenders.find(node, coin)
    if (txid && !doomed.includes(txid)) return { coin, txid, doomed }
  }
  if (doomed.length > LONGEST_CHAIN) return null
  for (const { txid } of gone) {
    if ((await locate(node, txid)).state !== 'unknown') continue
    const parent = await signedBefore(txid)
    const inputs = parent && parseTransaction(parent.bytes).inputs
    const rival = inputs && (await findRival(chain, node, inputs, [...doomed, txid], signedBefore))
    if (rival) return rival
  }
  return null
}

async function provenBy({ network }: BitcoinChain, node: Node, rival: Rival): Promise<InvalidationProof | null> {
  const found = await locate(node, rival.txid)
  if (found.state !== 'included' || found.confirmations < network.finalDepth) return null
  const { txid, vout } = rival.coin
  if (!found.transaction.inputs?.some((input) => input.txid === txid && input.vout === vout)) return null
  for (const hash of rival.doomed) if ((await locate(node, hash)).state !== 'unknown') return null
  const { block } = found
  const built = rival.doomed.length > 1 ? `, which ${rival.doomed.at(-1)} was to spend that this is built on,` : ''
  const reason = `${txid}:${vout}${built} was spent by ${rival.txid} in block ${block.number}, which is final`
  return { usedBy: rival.txid, block, reason }
}
