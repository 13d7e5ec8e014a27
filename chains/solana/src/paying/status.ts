/**
 * What became of a transfer that was signed. "Dead" lets a payout be signed again in another slot, so it takes proof. So does
 * "reverted" where it is final: every node shows it.
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
    // Which of them has heard of what waits is nobody's fault.
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
 * All that the account paid beyond what it sent: the fee, and rent for token accounts. Below zero where a sweep closes
 * accounts whose rent comes to it.
 */
function costOf(transaction: Transaction, account: Address): bigint {
  const { accounts: involved, preBalances, postBalances, failed, instructions, fee } = transaction
  if (failed) return BigInt(fee)
  const position = involved.indexOf(account)
  const spent = BigInt(preBalances[position] ?? 0) - BigInt(postBalances[position] ?? 0)
  const sent = instructions.map((instruction) => sentBy(instruction, position)).reduce((sum, units) => sum + units, 0n)
  return spent - sent
}

/** What one of our own instructions moved away from the account, or to it where that is below zero. */
function sentBy({ program, accounts: [from, to], data }: Instruction, position: number): bigint {
  if (program !== SYSTEM_PROGRAM_ADDRESS || from === to || (from !== position && to !== position)) return 0n
  const bytes = getBase58Encoder().encode(data)
  // Twelve bytes that begin with a two are a transfer; the other instructions that we send are changes of the nonce.
  if (bytes.length !== 12 || bytes[0] !== 2) return 0n
  const { amount } = getTransferSolInstructionDataDecoder().decode(bytes)
  return from === position ? amount : -amount
}
