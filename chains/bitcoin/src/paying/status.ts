/**
 * What became of a transfer that was signed. "Dead" lets a payout be signed again with other coins, so it takes proof:
 * another transaction has spent one of its coins in a block that is final, and every node of ours says so.
 */
import type { Address, Slot, TransferStatus, TxHash } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { isUnspent } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate, spentOutputs, sumOf } from '../scanning/locate.ts'
import { type Outpoint, outpointOf } from '../transaction.ts'

export interface Sent {
  hash: TxHash
  slot: Slot
  account: Address
}

export async function status(chain: BitcoinChain, sent: Sent): Promise<TransferStatus> {
  const seen = await chain.rpc.use((node) => lookUp(node, sent.hash))
  if (seen.state !== 'unknown') return seen
  return (await isDead(chain, sent)) ? { state: 'dead' } : { state: 'unknown' }
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
}

async function isDead(chain: BitcoinChain, { hash, slot }: Sent): Promise<boolean> {
  const rival = await chain.rpc.use((node) => findRival(chain, node, slot))
  if (!rival || rival.txid === hash) return false
  const agreed = await chain.rpc.every((node) => isFinalRival(chain, node, hash, rival))
  return agreed.every((final) => final)
}

/** A transaction in a block that spent a coin of the slot. */
async function findRival({ spenders }: BitcoinChain, node: Node, slot: Slot): Promise<Rival | null> {
  const coins = slot.map(outpointOf).filter((coin) => coin !== null)
  const unspent = await node.ask(coins.map((coin) => isUnspent(coin)))
  const coin = coins.find((_, position) => unspent[position] === false)
  const txid = coin && (await spenders.find(node, coin))
  return coin && txid ? { coin, txid } : null
}

async function isFinalRival({ network }: BitcoinChain, node: Node, hash: TxHash, rival: Rival): Promise<boolean> {
  const found = await locate(node, rival.txid)
  if (found.state !== 'included' || found.confirmations < network.finalDepth) return false
  const { txid, vout } = rival.coin
  const spends = found.transaction.inputs?.some((input) => input.txid === txid && input.vout === vout) ?? false
  return spends && (await locate(node, hash)).state === 'unknown'
}
