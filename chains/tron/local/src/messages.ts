/**
 * Tron's messages as the local chain decodes and encodes them: tables of fields, and one decoder and encoder for all.
 * Written independently of the adapter's, so that neither can hide a mistake of the other.
 */
import { createHash } from 'node:crypto'

type Kind = 'int' | 'bytes' | 'text' | { message: Table }
interface Entry {
  name: string
  kind: Kind
  isList?: boolean
}
type Table = Readonly<Record<number, Entry>>
/** A decoded message: numbers as bigint, bytes and text as Buffer. */
export type Tree = { [name: string]: bigint | Buffer | Tree | (Buffer | Tree)[] | undefined }

const ANY: Table = { 1: { name: 'type_url', kind: 'text' }, 2: { name: 'value', kind: 'bytes' } }
const CONTRACT: Table = {
  1: { name: 'type', kind: 'int' },
  2: { name: 'parameter', kind: { message: ANY } },
  5: { name: 'Permission_id', kind: 'int' },
}
export const RAW_DATA: Table = {
  1: { name: 'ref_block_bytes', kind: 'bytes' },
  4: { name: 'ref_block_hash', kind: 'bytes' },
  8: { name: 'expiration', kind: 'int' },
  10: { name: 'data', kind: 'bytes' },
  11: { name: 'contract', kind: { message: CONTRACT }, isList: true },
  14: { name: 'timestamp', kind: 'int' },
  18: { name: 'fee_limit', kind: 'int' },
}
const RESULT: Table = { 3: { name: 'contractRet', kind: 'int' } }
export const TRANSACTION: Table = {
  1: { name: 'raw_data', kind: 'bytes' },
  2: { name: 'signature', kind: 'bytes', isList: true },
  5: { name: 'ret', kind: { message: RESULT }, isList: true },
}
export const HEADER: Table = {
  1: { name: 'timestamp', kind: 'int' },
  2: { name: 'txTrieRoot', kind: 'bytes' },
  3: { name: 'parentHash', kind: 'bytes' },
  7: { name: 'number', kind: 'int' },
  9: { name: 'witness_address', kind: 'bytes' },
  10: { name: 'version', kind: 'int' },
}
const SMART_CONTRACT: Table = {
  1: { name: 'origin_address', kind: 'bytes' },
  4: { name: 'bytecode', kind: 'bytes' },
  5: { name: 'call_value', kind: 'int' },
  6: { name: 'consume_user_resource_percent', kind: 'int' },
  7: { name: 'name', kind: 'text' },
  8: { name: 'origin_energy_limit', kind: 'int' },
}

/** The contract types that the local chain runs, by number. */
export const CONTRACTS: Readonly<Record<number, { name: string; table: Table }>> = {
  1: {
    name: 'TransferContract',
    table: {
      1: { name: 'owner_address', kind: 'bytes' },
      2: { name: 'to_address', kind: 'bytes' },
      3: { name: 'amount', kind: 'int' },
    },
  },
  2: {
    name: 'TransferAssetContract',
    table: {
      1: { name: 'asset_name', kind: 'bytes' },
      2: { name: 'owner_address', kind: 'bytes' },
      3: { name: 'to_address', kind: 'bytes' },
      4: { name: 'amount', kind: 'int' },
    },
  },
  30: {
    name: 'CreateSmartContract',
    table: {
      1: { name: 'owner_address', kind: 'bytes' },
      2: { name: 'new_contract', kind: { message: SMART_CONTRACT } },
    },
  },
  31: {
    name: 'TriggerSmartContract',
    table: {
      1: { name: 'owner_address', kind: 'bytes' },
      2: { name: 'contract_address', kind: 'bytes' },
      3: { name: 'call_value', kind: 'int' },
      4: { name: 'data', kind: 'bytes' },
      5: { name: 'call_token_value', kind: 'int' },
      6: { name: 'token_id', kind: 'int' },
    },
  },
}

export function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

export function encode(table: Table, tree: Tree): Buffer {
  const parts: Buffer[] = []
  for (const [key, { name, kind, isList }] of Object.entries(table)) {
    const value = tree[name]
    if (value === undefined) continue
    for (const item of isList && Array.isArray(value) ? value : [value]) {
      if (typeof item === 'bigint') {
        if (item !== 0n) parts.push(varint(BigInt(key) * 8n), varint(BigInt.asUintN(64, item)))
        continue
      }
      const inner = Buffer.isBuffer(item) ? item : encode(typeof kind === 'object' ? kind.message : {}, item as Tree)
      if (inner.length > 0 || isList) parts.push(varint(BigInt(key) * 8n + 2n), varint(BigInt(inner.length)), inner)
    }
  }
  return Buffer.concat(parts)
}

/** Decodes a message. Unknown fields are rejected: the chain would keep them, and no test sends any. */
export function decode(table: Table, data: Buffer): Tree {
  const tree: Tree = {}
  const cursor = { at: 0 }
  while (cursor.at < data.length) {
    const tag = Number(readVarint(data, cursor))
    const entry = table[tag >> 3]
    if (!entry) throw new Error(`an unknown field ${tag >> 3}`)
    const { name, kind, isList } = entry
    if (kind === 'int') {
      if ((tag & 7) !== 0) throw new Error(`${name} is no number`)
      tree[name] = BigInt.asIntN(64, readVarint(data, cursor))
      continue
    }
    if ((tag & 7) !== 2) throw new Error(`${name} is no byte string`)
    const length = Number(readVarint(data, cursor))
    const bytes = data.subarray(cursor.at, cursor.at + length)
    if (bytes.length !== length) throw new Error('the message ends too soon')
    cursor.at += length
    const value = typeof kind === 'object' ? decode(kind.message, bytes) : bytes
    const before = tree[name]
    tree[name] = isList ? [...(Array.isArray(before) ? before : []), value] : value
  }
  return tree
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) + 128)
  }
}

function readVarint(data: Buffer, cursor: { at: number }): bigint {
  for (let value = 0n, shift = 0n; ; shift += 7n) {
    const byte = data[cursor.at++]
    if (byte === undefined || shift > 63n) throw new Error('the message ends too soon')
    value += BigInt(byte & 127) << shift
    if (byte < 128) return value
  }
}
