/**
 * The status of a signed transfer. "Dead" lets a payout be signed again in another slot, so it needs proof. A final
 * "reverted" needs every node too.
 */
import { quorumStatus } from '@causeway/chain-kit'
import type { Address, SentTransfer, TransferStatus } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'
import { getTransferSolInstructionDataDecoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import type { Instruction, Transaction } from '../transaction.ts'
import { deathOf } from './invalidation.ts'

export async function status(chain: SolanaChain, sent: SentTransfer): Promise<TransferStatus> {
  const look = (node: Node) => lookUp(chain, node, sent)
  const seen = await chain.rpc.agreed(
    look,
    // Nodes may differ about a pending transaction; that is no fault.
    (found) => ('block' in found ? `${found.state} ${found.block.hash}` : 'waits'),
  )
  if (seen.state !== 'unknown') return quorumStatus(chain, seen, look)
  const evidence = await deathOf(chain, sent)
  return evidence ? { state: 'dead', evidence } : { state: 'unknown' }
}

async function lookUp(chain: SolanaChain, node: Node, { hash, account }: SentTransfer): Promise<TransferStatus> {
  const found = await locate(chain.network, node, hash)
  if (found.state !== 'landed') return { state: found.state }
  const { transaction, block, confirmations } = found
  const state = transaction.failed ? 'reverted' : 'included'
  return { state, block, confirmations, feeUnits: costOf(transaction, account) }
}

/**
 * Everything that the account paid beyond the transfers: the fee, and rent for token accounts. Negative if a sweep
 * closes accounts and receives their rent.
 */
function costOf(transaction: Transaction, account: Address): bigint {
  const { accounts: involved, preBalances, postBalances, failed, instructions, fee } = transaction
  if (failed) return BigInt(fee)
  const position = involved.indexOf(account)
  const spent = BigInt(preBalances[position] ?? 0) - BigInt(postBalances[position] ?? 0)
  const sent = instructions.map((instruction) => sentBy(instruction, position)).reduce((sum, units) => sum + units, 0n)
  return spent - sent
}

/** The amount that one of our own instructions moved out of the account, negative if into it. */
function sentBy({ program, accounts: [from, to], data }: Instruction, position: number): bigint {
  if (program !== SYSTEM_PROGRAM_ADDRESS || from === to || (from !== position && to !== position)) return 0n
  const bytes = getBase58Encoder().encode(data)
  // Twelve bytes that begin with a two are a transfer; our other instructions only advance the nonce.
  if (bytes.length !== 12 || bytes[0] !== 2) return 0n
  const { amount } = getTransferSolInstructionDataDecoder().decode(bytes)
  return from === position ? amount : -amount
}
