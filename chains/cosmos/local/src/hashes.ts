/** CometBFT's hashes of headers, transactions and results for the double's blocks, implemented independently. */
import { createHash } from 'node:crypto'
import { lengthField, numberField, optionalField } from './wire.ts'

export function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest()
}

export const EMPTY_HASH = sha256('')

/** The Merkle root as defined in RFC 6962. */
export function treeHash(items: readonly Uint8Array[]): Buffer {
  if (items.length === 0) return EMPTY_HASH
  const [single] = items
  if (items.length === 1 && single) return sha256(Buffer.concat([Buffer.from([0]), single]))
  let split = 1
  while (split * 2 < items.length) split *= 2
  return sha256(Buffer.concat([Buffer.from([1]), treeHash(items.slice(0, split)), treeHash(items.slice(split))]))
}

export interface HeaderParts {
  chainId: string
  height: bigint
  seconds: bigint
  nanos: bigint
  lastBlock: { hash: Buffer; parts: Buffer } | null
  lastCommit: Buffer
  data: Buffer
  validators: Buffer
  consensus: Buffer
  app: Buffer
  lastResults: Buffer
  evidence: Buffer
  proposer: Buffer
}

/** The block protocol version in headers. */
export const BLOCK_PROTOCOL = 11n

export function headerHash(header: HeaderParts): Buffer {
  const { lastBlock } = header
  const parts = lastBlock ? [numberField(1, 1n), optionalField(2, lastBlock.parts)] : []
  const leaves = [
    numberField(1, BLOCK_PROTOCOL),
    optionalField(1, header.chainId),
    numberField(1, header.height),
    Buffer.concat([numberField(1, header.seconds), numberField(2, header.nanos)]),
    Buffer.concat([optionalField(1, lastBlock?.hash ?? ''), lengthField(2, Buffer.concat(parts))]),
    optionalField(1, header.lastCommit),
    optionalField(1, header.data),
    optionalField(1, header.validators),
    optionalField(1, header.validators),
    optionalField(1, header.consensus),
    optionalField(1, header.app),
    optionalField(1, header.lastResults),
    optionalField(1, header.evidence),
    optionalField(1, header.proposer),
  ]
  return treeHash(leaves)
}

export interface Deterministic {
  code: number
  data: Buffer
  gasWanted: bigint
  gasUsed: bigint
}

export function resultsRoot(results: readonly Deterministic[]): Buffer {
  return treeHash(
    results.map(({ code, data, gasWanted, gasUsed }) =>
      Buffer.concat([
        numberField(1, BigInt(code)),
        optionalField(2, data),
        numberField(5, gasWanted),
        numberField(6, gasUsed),
      ]),
    ),
  )
}
