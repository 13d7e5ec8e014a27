/**
 * A block that proves itself: its id is the hash of its header, and the header names the parent and the root of all
 * transactions with their results. A node can omit or change nothing in it. Receipts and logs are in no root;
 * `receipts.ts` relies on the node for them. A transaction may have bytes that nodes do not show; its block then proves
 * nothing, see `scanning/block-quorum.ts`.
 */
import type { BlockRef, TxHash } from '@causeway/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytes, bytesToHex, concatBytes, hexToBytes, number } from './bytes.ts'
import { hexText, integer, list, record } from './node/decode.ts'
import { idOf, leafBytes, type RawData, readRaw } from './transaction.ts'

export interface Header {
  number: bigint
  id: string
  parent: string
  /** The block's time, in milliseconds of the chain's clock. */
  time: number
  /** The root of all transactions. */
  root: string
}

export interface BlockTransaction extends RawData {
  id: TxHash
  /** False if the transaction is in a block and failed: its fee is spent, its transfer not made. */
  isSuccess: boolean
}

export interface Block extends Header {
  transactions: BlockTransaction[]
  /** Whether the header's root is that of these transactions and results. */
  isProven: boolean
}

/** Names of the results, by the chain's numbering. */
const RESULTS = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
]
const NO_ROOT = '00'.repeat(32)

export function refOf({ number, id }: Pick<Header, 'number' | 'id'>): BlockRef {
  return { number, hash: id }
}

/** Decodes a header; throws if the id is not its hash. */
export function readHeader(raw: unknown): Header {
  const { blockID, block_header } = record(raw)
  const header = record(record(block_header).raw_data)
  const told = hexText(blockID)
  const height = BigInt(integer(header.number ?? 0))
  const encoded = concatBytes(
    number(1, BigInt(integer(header.timestamp ?? 0))),
    bytes(2, hexToBytes(hexText(header.txTrieRoot ?? ''))),
    bytes(3, hexToBytes(hexText(header.parentHash ?? ''))),
    number(7, height),
    number(8, BigInt(integer(header.witness_id ?? 0))),
    bytes(9, hexToBytes(hexText(header.witness_address ?? ''))),
    number(10, BigInt(integer(header.version ?? 0))),
    bytes(11, hexToBytes(hexText(header.accountStateRoot ?? ''))),
  )
  const id = height.toString(16).padStart(16, '0') + bytesToHex(sha256(encoded)).slice(16)
  if (id !== told) throw new TypeError(`block ${height} does not have the id ${told}: it is ${id}`)
  const root = hexText(header.txTrieRoot ?? '') || NO_ROOT
  return { number: height, id, parent: hexText(header.parentHash ?? ''), time: integer(header.timestamp ?? 0), root }
}

/** Decodes a block. `vouched`: ids of blocks that an operator vouches for. */
export function readBlock(raw: unknown, vouched: ReadonlySet<string>): Block {
  return assembleBlock(readHeader(raw), list(record(raw).transactions ?? []), vouched)
}

/** A block of these transactions, which a node showed one by one or together. */
export function assembleBlock(header: Header, shown: readonly unknown[], vouched: ReadonlySet<string>): Block {
  const told = shown.map(readTransaction)
  const leaves = told.flatMap(({ leaf }) => leaf ?? [])
  const isProven = leaves.length === told.length && rootOf(leaves) === header.root
  const transactions = told.map(({ transaction }) => transaction)
  return { ...header, transactions, isProven: isProven || vouched.has(header.id) }
}

/** Length of two adjacent hashes in the tree: a transaction as short as that could be an inner node of the tree. */
const PAIR_BYTES = 64
const SIGNATURE_BYTES = 65

/** Decodes a transaction. It has no leaf if its result cannot be encoded, or if it has no signature. */
function readTransaction(raw: unknown): { leaf: Uint8Array | null; transaction: BlockTransaction } {
  const { raw_data_hex, signature, ret } = record(raw)
  const data = hexToBytes(hexText(raw_data_hex))
  const results = list(ret ?? []).map(record)
  const signatures = list(signature ?? []).map((item) => hexToBytes(hexText(item)))
  const written = results.flatMap((one) => encodeResult(one) ?? [])
  const whole = leafBytes(data, signatures, written)
  const isSigned = whole.length > PAIR_BYTES && signatures.some(({ length }) => length >= SIGNATURE_BYTES)
  const leaf = isSigned && written.length === results.length ? sha256(whole) : null
  const result = results[0]?.contractRet ?? null
  // Old blocks omit the result of successful transactions.
  const isSuccess = result === null || result === 'SUCCESS' || result === 'DEFAULT'
  return { leaf, transaction: { ...readRaw(data), id: idOf(data), isSuccess } }
}

function encodeResult({ fee, ret, contractRet }: Record<string, unknown>): Uint8Array | null {
  const value = RESULTS.indexOf(String(contractRet ?? 'DEFAULT'))
  const isTold = typeof fee !== 'number' || Number.isSafeInteger(fee)
  if (value < 0 || !isTold) return null
  const fees = typeof fee === 'number' ? BigInt(fee) : 0n
  return concatBytes(number(1, fees), number(2, ret === 'FAILED' ? 1n : 0n), number(3, BigInt(value)))
}

/** The Merkle root: pairs are hashed together; an odd last one moves up unchanged. */
export function rootOf(leaves: readonly Uint8Array[]): string {
  let row = [...leaves]
  if (row.length === 0) return NO_ROOT
  while (row.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at < row.length; at += 2) {
      const [left, right] = [row[at], row[at + 1]]
      if (left) above.push(right ? sha256(concatBytes(left, right)) : left)
    }
    row = above
  }
  return bytesToHex(row[0] ?? new Uint8Array())
}
