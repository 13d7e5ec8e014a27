/**
 * A transaction from a block: its accounts, its signers, its own instructions, and every balance before and after.
 * Inner instructions are not read.
 */
import type { Address } from '@causeway/core'
import { fieldsOf, integer, list, nullable, slot, text } from './node/decode.ts'

export interface BlockRoot {
  slot: bigint
  hash: string
  parentSlot: bigint
  parentHash: string
  /** The cluster's block time in unix seconds; null if the node has pruned it. */
  time: number | null
}

export interface Block extends BlockRoot {
  transactions: Transaction[]
}

export interface Transaction {
  /** The first signature, used as the hash. */
  hash: string
  /** The accounts of the message, then those from lookup tables. Balances are in the same order. */
  accounts: Address[]
  /** The first `signers` accounts have signed; the very first pays the fee. */
  signers: number
  /** The blockhash, or the nonce value, that it named; null if the node does not report it. */
  lifetime: string | null
  instructions: Instruction[]
  failed: boolean
  fee: number
  preBalances: number[]
  postBalances: number[]
  preTokens: TokenBalance[]
  postTokens: TokenBalance[]
}

export interface LandedTransaction extends Transaction {
  slot: bigint
}

export interface Instruction {
  program: Address
  /** Positions in the list of accounts. */
  accounts: number[]
  /** The instruction's data in base58. */
  data: string
}

interface TokenBalance {
  /** Position of the token account. */
  index: number
  mint: Address
  /** The wallet that owns the token account; null if an old node does not report it. */
  owner: Address | null
  units: bigint
}

export function readRoot(at: bigint, raw: unknown): BlockRoot {
  const fields = fieldsOf(raw)
  return {
    slot: at,
    hash: text(fields.blockhash),
    parentSlot: slot(fields.parentSlot),
    parentHash: text(fields.previousBlockhash),
    time: nullable(integer)(fields.blockTime ?? null),
  }
}

export function readBlock(at: bigint, raw: unknown): Block {
  return { ...readRoot(at, raw), transactions: list(fieldsOf(raw).transactions).map(readTransaction) }
}

export function readLanded(raw: unknown): LandedTransaction {
  return { ...readTransaction(raw), slot: slot(fieldsOf(raw).slot) }
}

function readTransaction(raw: unknown): Transaction {
  const fields = fieldsOf(raw)
  const { signatures, message: rawMessage } = fieldsOf(fields.transaction)
  const message = fieldsOf(rawMessage)
  const meta = fieldsOf(fields.meta)
  const loaded = fieldsOf(meta.loadedAddresses ?? { writable: [], readonly: [] })
  const accounts = [...list(message.accountKeys), ...list(loaded.writable), ...list(loaded.readonly)].map(text)
  const at = (index: unknown): Address => accounts[integer(index)] ?? unknownAccount()
  return {
    hash: text(list(signatures)[0]),
    accounts,
    signers: integer(fieldsOf(message.header).numRequiredSignatures),
    lifetime: typeof message.recentBlockhash === 'string' ? message.recentBlockhash : null,
    instructions: list(message.instructions).map((instruction) => {
      const { programIdIndex, accounts: used, data } = fieldsOf(instruction)
      return { program: at(programIdIndex), accounts: list(used).map(integer), data: text(data) }
    }),
    failed: meta.err !== null,
    fee: integer(meta.fee),
    preBalances: balances(meta.preBalances, accounts),
    postBalances: balances(meta.postBalances, accounts),
    preTokens: tokenBalances(meta.preTokenBalances),
    postTokens: tokenBalances(meta.postTokenBalances),
  }
}

function unknownAccount(): never {
  throw new TypeError('an instruction names an account that the transaction does not have')
}

function balances(raw: unknown, accounts: readonly Address[]): number[] {
  const read = list(raw).map(Number)
  if (read.length !== accounts.length) throw new TypeError('a balance for each account was expected')
  return read
}

/** Token balances; nodes omit the field if a transaction touched none. */
function tokenBalances(raw: unknown): TokenBalance[] {
  return list(raw ?? []).map((entry) => {
    const { accountIndex, mint, owner, uiTokenAmount } = fieldsOf(entry)
    return {
      index: integer(accountIndex),
      mint: text(mint),
      owner: typeof owner === 'string' ? owner : null,
      units: BigInt(text(fieldsOf(uiTokenAmount).amount)),
    }
  })
}
