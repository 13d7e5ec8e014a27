/**
 * What became of a transfer that was signed. "Dead" lets a payout be signed again in another slot, so it takes proof: at
 * finalized depth its nonce account has another value, and the account's history, complete back to when the value was
 * seen, does not hold this transaction.
 */
import type { Address, Slot, TransferStatus, TxHash } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'
import { getTransferSolInstructionDataDecoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaChain } from '../chain.ts'
import { accounts, signatureStatus, signaturesFor, TOO_EARLY_CODE } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { locate } from '../scanning/locate.ts'
import type { Instruction, Transaction } from '../transaction.ts'
import { type NonceUse, nonceOf, nonceValue } from './nonce.ts'

export interface Sent {
  hash: TxHash
  slot: Slot
  account: Address
}

export async function status(chain: SolanaChain, sent: Sent): Promise<TransferStatus> {
  const found = await chain.rpc.use((node) => locate(chain.network, node, sent.hash))
  if (found.state === 'landed') {
    const { transaction, block, confirmations } = found
    const state = transaction.failed ? 'reverted' : 'included'
    return { state, block, confirmations, feeUnits: costOf(transaction, sent.account) }
  }
  if (found.state === 'pending') return { state: 'pending' }
  return (await isDead(chain, sent)) ? { state: 'dead' } : { state: 'unknown' }
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

/** Every node must agree: one that lags, or forgets old transactions, would otherwise allow a second payment. */
async function isDead(chain: SolanaChain, { hash, slot }: Sent): Promise<boolean> {
  const use = nonceOf(slot)
  const isMoved = await chain.rpc.use(async (node) => (await movedAt(chain, node, use)) !== null)
  if (!isMoved) return false
  const agreed = await chain.rpc.every((node) => isProvenDead(chain, node, use, hash))
  return agreed.every((dead) => dead)
}

async function isProvenDead(chain: SolanaChain, node: Node, use: NonceUse, hash: TxHash): Promise<boolean> {
  const movedBy = await movedAt(chain, node, use)
  if (movedBy === null) return false
  // Read after the value: whatever changed it is in the history by now.
  const [history, seen] = await node.settle([signaturesFor(use.account, movedBy), signatureStatus(hash)])
  if (seen instanceof Refusal) throw seen
  if (isTooEarly(history)) return false
  const isComplete = history.some((entry) => entry.slot <= use.seenAt)
  return isComplete && seen === null && history.every((entry) => entry.signature !== hash)
}

/** The finalized slot at which the account was seen with another value; null where it has the value still. */
async function movedAt({ treasury }: SolanaChain, node: Node, use: NonceUse): Promise<bigint | null> {
  // An older view could show the value before this one, which would look just the same.
  const [found] = await node.settle([accounts([use.account], 'finalized', use.seenAt)])
  if (isTooEarly(found)) return null
  const value = nonceValue(found.accounts[0] ?? null, treasury)
  return value === null || value === use.value ? null : found.slot
}

/** What is asked for is not final yet: no trouble, and no proof of anything. */
function isTooEarly(answer: unknown): answer is Refusal {
  if (!(answer instanceof Refusal)) return false
  if (answer.code !== TOO_EARLY_CODE) throw answer
  return true
}
