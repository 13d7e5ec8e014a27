/**
 * Block hashes: the root over the header's fields. The header names the parent, the transactions and the results of the
 * parent. So no transaction can be hidden or inserted, and no result code can be changed.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { writeFields } from './protobuf.ts'

export interface Header {
  blockVersion: bigint
  appVersion: bigint
  chainId: string
  height: bigint
  /** Seconds and nanoseconds. */
  time: { seconds: bigint; nanos: number }
  lastBlock: { hash: Uint8Array; total: bigint; partsHash: Uint8Array }
  lastCommitHash: Uint8Array
  dataHash: Uint8Array
  validatorsHash: Uint8Array
  nextValidatorsHash: Uint8Array
  consensusHash: Uint8Array
  appHash: Uint8Array
  lastResultsHash: Uint8Array
  evidenceHash: Uint8Array
  proposer: Uint8Array
}

export function blockHash(header: Header): string {
  const { lastBlock, time } = header
  // The part-set header is written even if it is empty, as before the first block.
  const parts = writeFields({ 1: lastBlock.total, 2: lastBlock.partsHash })
  const fields = [
    writeFields({ 1: header.blockVersion, 2: header.appVersion }),
    writeFields({ 1: header.chainId }),
    writeFields({ 1: header.height }),
    writeFields({ 1: time.seconds, 2: time.nanos }),
    writeFields({ 1: lastBlock.hash, 2: [parts] }),
    ...[
      header.lastCommitHash,
      header.dataHash,
      header.validatorsHash,
      header.nextValidatorsHash,
      header.consensusHash,
      header.appHash,
      header.lastResultsHash,
      header.evidenceHash,
      header.proposer,
    ].map((bytes) => writeFields({ 1: bytes })),
  ]
  return upperHex(merkleRoot(fields))
}

export function dataHash(transactions: readonly Uint8Array[]): string {
  return upperHex(merkleRoot(transactions.map((bytes) => sha256(bytes))))
}

/** The part of a transaction's result that all nodes must share; logs and events are not included. */
export interface CommittedResult {
  code: number
  data: Uint8Array
  gasWanted: bigint
  gasUsed: bigint
}

export function resultsHash(results: readonly CommittedResult[]): string {
  return upperHex(
    merkleRoot(
      results.map(({ code, data, gasWanted, gasUsed }) => writeFields({ 1: code, 2: data, 5: gasWanted, 6: gasUsed })),
    ),
  )
}

/** The Merkle root of RFC 6962: leaves and inner nodes differ in their first byte. */
function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return sha256(new Uint8Array())
  if (leaves.length === 1) return sha256(Buffer.concat([Uint8Array.of(0), only]))
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return sha256(Buffer.concat([Uint8Array.of(1), merkleRoot(leaves.slice(0, half)), merkleRoot(leaves.slice(half))]))
}

function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase()
}
