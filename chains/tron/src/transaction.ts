/**
 * A transaction from its bytes. `raw_data` is signed and its hash is the transaction id, so the bytes alone prove their
 * content.
 */
import type { Address, TxHash } from '@causeway/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { addressInWord, addressOf, bytesOf } from './address.ts'
import {
  bytes,
  bytesIn,
  bytesToHex,
  concatBytes,
  type Field,
  fieldsOf,
  hexToBytes,
  number,
  numberIn,
  part,
} from './bytes.ts'

export type Contract =
  | { kind: 'transfer'; owner: Address; to: Address; units: bigint }
  /** `data` is hex. */
  | { kind: 'call'; owner: Address; contract: Address; value: bigint; data: string }
  | { kind: 'create'; owner: Address; bytecode: string; name: string }

/** The fields of `raw_data` other than the contract. */
export interface Terms {
  /** The id of a block, which fixes the chain on which the transaction can be mined. */
  reference: string
  /** When the transaction expires, in milliseconds of the chain's clock: from then on no block includes it. */
  expiration: number
  timestamp: number
  /** The fee limit in sun; zero if no contract is called. */
  feeLimit: bigint
}

/** The decoded form of untrusted bytes. */
export interface RawData {
  /** The signer; null for a type that we do not decode. */
  owner: Address | null
  contract: Contract | null
  memo: Uint8Array
  expiration: number
  timestamp: number
  feeLimit: bigint
}

const TYPES = { transfer: 1n, create: 30n, call: 31n } as const
const NAMES = { transfer: 'TransferContract', create: 'CreateSmartContract', call: 'TriggerSmartContract' } as const
/** The caller of our contracts pays all energy. */
const CALLER_PAYS_PERCENT = 100n
const ORIGIN_ENERGY = 10_000_000n

export function encodeRaw(contract: Contract, { reference, expiration, timestamp, feeLimit }: Terms): Uint8Array {
  const block = hexToBytes(reference)
  const parameter = concatBytes(
    bytes(1, utf8ToBytes(`type.googleapis.com/protocol.${NAMES[contract.kind]}`)),
    bytes(2, encodeContract(contract)),
  )
  return concatBytes(
    bytes(1, block.subarray(6, 8)),
    bytes(4, block.subarray(8, 16)),
    number(8, BigInt(expiration)),
    bytes(11, concatBytes(number(1, TYPES[contract.kind]), bytes(2, parameter))),
    number(14, BigInt(timestamp)),
    number(18, feeLimit),
  )
}

function encodeContract(contract: Contract): Uint8Array {
  const owner = bytes(1, bytesOf(contract.owner))
  if (contract.kind === 'transfer') return concatBytes(owner, bytes(2, bytesOf(contract.to)), number(3, contract.units))
  if (contract.kind === 'call') {
    return concatBytes(
      ...[owner, bytes(2, bytesOf(contract.contract)), number(3, contract.value), bytes(4, hexToBytes(contract.data))],
    )
  }
  const created = concatBytes(
    bytes(1, bytesOf(contract.owner)),
    bytes(4, hexToBytes(contract.bytecode)),
    number(6, CALLER_PAYS_PERCENT),
    bytes(7, utf8ToBytes(contract.name)),
    number(8, ORIGIN_ENERGY),
  )
  return concatBytes(owner, bytes(2, created))
}

export function idOf(raw: Uint8Array): TxHash {
  return bytesToHex(sha256(raw))
}

/** The whole transaction as nodes accept it, in hex. */
export function sealed(raw: Uint8Array, signature: Uint8Array): string {
  return bytesToHex(concatBytes(bytes(1, raw), bytes(2, signature)))
}

/** The address of the contract that a transaction creates. */
export function madeAddress(id: TxHash, owner: Address): Address {
  return addressInWord(bytesToHex(keccak_256(concatBytes(hexToBytes(id), bytesOf(owner)))))
}

/** The bytes that the chain adds for the result. */
const RESULT_BYTES = 64
const SIGNATURE_BYTES = 65

/** The charged bytes of a transaction with one signature. */
export function bandwidthOf(raw: Uint8Array): number {
  return concatBytes(bytes(1, raw), bytes(2, new Uint8Array(SIGNATURE_BYTES))).length + RESULT_BYTES
}

/** Decodes untrusted bytes without throwing: an undecodable transaction has no contract. */
export function readRaw(raw: Uint8Array): RawData {
  try {
    const fields = fieldsOf(raw)
    const contract = readContract(fields)
    return {
      owner: contract?.owner ?? null,
      contract,
      memo: bytesIn(fields, 10),
      expiration: Number(numberIn(fields, 8)),
      timestamp: Number(numberIn(fields, 14)),
      feeLimit: numberIn(fields, 18),
    }
  } catch {
    return { owner: null, contract: null, memo: new Uint8Array(), expiration: 0, timestamp: 0, feeLimit: 0n }
  }
}

function readContract(fields: readonly Field[]): Contract | null {
  const contracts = fields.filter(({ field }) => field === 11)
  const [only] = contracts
  if (contracts.length !== 1 || !only || typeof only.value === 'bigint') return null
  const inside = fieldsOf(only.value)
  // Nodes would merge two such fields; no honest sender writes that.
  if (inside.filter(({ field }) => field === 2).length !== 1) return null
  const parameter = fieldsOf(bytesIn(inside, 2))
  const kind = (['transfer', 'call', 'create'] as const).find((name) => TYPES[name] === numberIn(inside, 1))
  const url = new TextDecoder().decode(bytesIn(parameter, 1))
  if (!kind || !url.endsWith(`/protocol.${NAMES[kind]}`)) return null
  return readBody(kind, fieldsOf(bytesIn(parameter, 2)))
}

function readBody(kind: Contract['kind'], body: readonly Field[]): Contract | null {
  const owner = addressOf(bytesIn(body, 1))
  if (owner === null) return null
  if (kind === 'create') return { kind, owner, bytecode: bytesToHex(bytesIn(fieldsOf(bytesIn(body, 2)), 4)), name: '' }
  const other = addressOf(bytesIn(body, 2))
  if (other === null) return null
  if (kind === 'transfer') return { kind, owner, to: other, units: numberIn(body, 3) }
  return { kind, owner, contract: other, value: numberIn(body, 3), data: bytesToHex(bytesIn(body, 4)) }
}

/** A transaction with its result, whose hash is a leaf of the block's root. */
export function leafBytes(
  raw: Uint8Array,
  signatures: readonly Uint8Array[],
  results: readonly Uint8Array[],
): Uint8Array {
  return concatBytes(
    bytes(1, raw),
    ...signatures.map((signature) => part(2, signature)),
    ...results.map((result) => part(5, result)),
  )
}
