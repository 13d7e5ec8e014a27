/**
 * Decodes raw transactions and blocks with our own code: ids are computed and not trusted, and amounts are never
 * floats. Nodes differ in their JSON, but not in the raw bytes.
 */
import { sha256 } from './address.ts'
import { coversOutputs } from './sighash.ts'

export interface Outpoint {
  txid: string
  vout: number
}

export interface Output {
  script: Uint8Array
  units: bigint
}

export interface Transaction {
  txid: string
  /** Null for a coinbase, which has no real inputs. */
  inputs: Outpoint[] | null
  /** The public keys that the inputs show, in hex and in order; null if an input shows none. */
  keys: (string | null)[]
  outputs: Output[]
  /** Whether every signature covers all outputs, so that the payer signed their content. */
  isSignedWhole: boolean
  vsize: number
}

export interface Block {
  hash: string
  parent: string
  transactions: Transaction[]
}

/** A part of a slot: the UTXO that it consumes. */
export function partOf({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`
}

export function outpointOf(part: string): Outpoint | null {
  const match = /^([0-9a-f]{64}):(0|[1-9]\d{0,8})$/.exec(part)
  return match?.[1] === undefined ? null : { txid: match[1], vout: Number(match[2]) }
}

export function parseTransaction(hex: string): Transaction {
  const reader = readerOf(hex)
  const transaction = readTransaction(reader)
  if (reader.left() > 0) throw new RangeError('bytes behind a transaction')
  return transaction
}

export function parseBlock(hex: string): Block {
  const reader = readerOf(hex)
  const header = reader.bytes(HEADER_BYTES)
  const count = reader.size()
  const transactions: Transaction[] = []
  for (let position = 0; position < count; position++) transactions.push(readTransaction(reader))
  return { hash: idOf([header]), parent: reversed(header.subarray(4, 36)), transactions }
}

const HEADER_BYTES = 80
const NO_TXID = '0'.repeat(64)
const COMPRESSED_KEY_BYTES = 33
/** Witness bytes weigh a quarter of the others (BIP 141). */
const WITNESS_SCALE = 4

function readTransaction(reader: Reader): Transaction {
  const start = reader.position()
  const version = reader.bytes(4)
  const hasWitness = reader.peek(0) === 0 && reader.peek(1) === 1
  if (hasWitness) reader.bytes(2)
  const bodyStart = reader.position()
  const spent = repeat(reader.size(), () => readInput(reader))
  const inputs = spent.map(({ txid, vout }) => ({ txid, vout }))
  const outputs = repeat(reader.size(), () => ({ units: reader.u64(), script: reader.bytes(reader.size()) }))
  const body = reader.since(bodyStart)
  const witnesses = spent.map(() => (hasWitness ? repeat(reader.size(), () => reader.bytes(reader.size())) : []))
  const lockTime = reader.bytes(4)
  const baseSize = version.length + body.length + lockTime.length
  const weight = baseSize * (WITNESS_SCALE - 1) + reader.since(start).length
  const isCoinbase = inputs.length === 1 && inputs[0]?.txid === NO_TXID
  return {
    txid: idOf([version, body, lockTime]),
    inputs: isCoinbase ? null : inputs,
    keys: witnesses.map(keyIn),
    outputs,
    isSignedWhole: spent.every(({ script }, position) => coversOutputs(script, witnesses[position] ?? [])),
    vsize: Math.ceil(weight / WITNESS_SCALE),
  }
}

/** The public key of a spend by key (BIP 141): the witness is a signature and that key; null otherwise. */
function keyIn([, key, ...more]: readonly Buffer[]): string | null {
  return key?.length === COMPRESSED_KEY_BYTES && more.length === 0 ? key.toString('hex') : null
}

function readInput(reader: Reader): Outpoint & { script: Uint8Array } {
  const txid = reversed(reader.bytes(32))
  const vout = reader.u32()
  const script = reader.bytes(reader.size())
  reader.bytes(4)
  return { txid, vout, script }
}

type Reader = ReturnType<typeof readerOf>

function readerOf(hex: string) {
  const data = Buffer.from(hex, 'hex')
  if (data.length * 2 !== hex.length) throw new RangeError('not hex')
  let at = 0
  const bytes = (length: number): Buffer => {
    if (at + length > data.length) throw new RangeError('the bytes end early')
    at += length
    return data.subarray(at - length, at)
  }
  return {
    bytes,
    position: () => at,
    left: () => data.length - at,
    peek: (ahead: number) => data[at + ahead],
    since: (start: number) => data.subarray(start, at),
    u32: () => bytes(4).readUInt32LE(),
    u64: () => bytes(8).readBigUInt64LE(),
    /** Reads a count or length: one byte, or a marker and two or four. Nothing in a block needs eight. */
    size(): number {
      const first = bytes(1).readUInt8()
      if (first < 0xfd) return first
      if (first === 0xfd) return bytes(2).readUInt16LE()
      if (first === 0xfe) return bytes(4).readUInt32LE()
      throw new RangeError('a size beyond any block')
    },
  }
}

function repeat<T>(count: number, read: () => T): T[] {
  const items: T[] = []
  for (let position = 0; position < count; position++) items.push(read())
  return items
}

function idOf(parts: readonly Uint8Array[]): string {
  return reversed(sha256(sha256(Buffer.concat(parts))))
}

function reversed(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex')
}
