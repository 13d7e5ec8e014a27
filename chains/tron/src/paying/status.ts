/**
 * The status of a signed transfer. If it was mined, the block itself proves it and its result. "Dead" lets a payout be
 * signed again, so it needs proof: see `invalidation.ts`. "Reverted" at final depth needs every node, because a
 * self-consistent block may still be invented.
 */
import { quorumStatus } from '@causeway/chain-kit'
import { Bug, RetryLater, type SentTransfer, type TransferStatus, type TxHash } from '@causeway/core'
import { TRANSFER_SELECTOR, TRANSFER_TOPIC, wordOf } from '../abi.ts'
import { hex20 } from '../address.ts'
import { type BlockTransaction, refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import type { Receipt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { landedOn } from '../scanning/locate-tx.ts'
import { proveDeath } from './invalidation.ts'
import { parseSlot } from './slot.ts'

export async function status(chain: TronChain, sent: SentTransfer): Promise<TransferStatus> {
  const slot = parseSlot(sent.slot)
  if (slot.id !== sent.hash)
    throw new Bug('the slot is that of another transaction', { hash: sent.hash, slot: slot.id })
  const look = (node: Node) => lookUp(chain, node, sent.hash)
  const seen = await chain.rpc.agreed(
    look,
    // Nodes may differ about a pending transaction; that is no fault.
    (found) => ('block' in found ? `${found.state} ${found.block.hash} ${found.feeUnits}` : 'waits'),
  )
  return seen.state === 'unknown' ? proveDeath(chain, slot) : quorumStatus(chain, seen, look)
}

async function lookUp(chain: TronChain, node: Node, hash: TxHash): Promise<TransferStatus> {
  const found = await landedOn(chain, node, hash)
  if (!('block' in found)) return found
  const { block, confirmations, transaction, receipt } = found
  const landed = { block: refOf(block), confirmations, feeUnits: receipt.fee }
  if (!transaction.isSuccess) {
    // Without this proof the payout could be paid a second time.
    if (!block.isProven) throw new RetryLater(`block ${block.number} does not prove that ${hash} failed`)
    return { state: 'reverted', ...landed }
  }
  if (!hasMoved(transaction, receipt)) {
    if (!chain.doubted.has(hash)) {
      chain.doubted.add(hash)
      chain.log.error({ network: chain.network.name, hash }, 'a token accepted a payout without a transfer: check it')
    }
    throw new RetryLater(`${hash} succeeded, but its token logged no transfer`)
  }
  return { state: 'included', ...landed }
}

/**
 * Whether the transfer moved money. A token call may succeed and move nothing, or a node may withhold its logs: then an
 * operator has to check.
 */
function hasMoved({ contract }: BlockTransaction, { logs }: Receipt): boolean {
  if (contract?.kind !== 'call' || !contract.data.startsWith(TRANSFER_SELECTOR)) return true
  const [to, units] = [contract.data.slice(8, 72), contract.data.slice(72)]
  return logs.some(
    ({ address, topics, data }) =>
      address === hex20(contract.contract) &&
      topics[0] === TRANSFER_TOPIC &&
      topics[1] === wordOf(contract.owner) &&
      topics[2] === to &&
      data === units,
  )
}
