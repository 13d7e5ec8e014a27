/**
 * Transactions as the local chain decodes them: written independently, so that the adapter's encoding is checked by
 * other code. A transaction stays the bytes that were sent; fields outside the id are blanked in a copy.
 */
import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'

export interface CoinIn {
  kind: 'coin'
  utxo: string
  owner: string
  amount: bigint
  asset: string
  witness: number
  predicate: Buffer
  predicateData: Buffer
}

export type In = CoinIn | { kind: 'contract'; contract: string } | { kind: 'message' }

export interface MoneyOut {
  kind: 'coin' | 'change' | 'variable'
  to: string
  amount: bigint
  asset: string
  /** Offset of the output's receiver in the bytes; the amount and the asset follow. */
  at: number
}

export type Out = MoneyOut | { kind: 'contract'; input: number } | { kind: 'created' }

export interface Decoded {
  raw: Buffer
  gasLimit: bigint
  script: Buffer
  data: Buffer
  tip: bigint
  witnessLimit: bigint | null
  maturity: bigint
  maxFee: bigint | null
  expiration: bigint | null
  inputs: In[]
  outputs: Out[]
  witnesses: Buffer[]
  /** Byte ranges that are not part of the transaction's id. */
  loose: [start: number, length: number][]
  witnessesAt: number
}

const WITNESS_COUNT_AT = 88
export const RECEIPTS_ROOT_AT = 16
export const SCRIPT_AT = 96

/**
 * Decodes a script, the only kind that the local chain accepts. Throws with a node's message if the bytes are not one.
 */
export function decodeScript(raw: Buffer): Decoded {
  let at = 0
  const u64 = () => {
    at += 8
    return raw.readBigUInt64BE(at - 8)
  }
  const int = () => Number(u64())
  const b256 = () => {
    at += 32
    if (at > raw.length) throw new RangeError('buffer is too short')
    return hex(raw.subarray(at - 32, at))
  }
  const blob = (length: number) => {
    const start = at
    at += Math.ceil(length / 8) * 8
    if (at > raw.length) throw new RangeError('buffer is too short')
    return raw.subarray(start, start + length)
  }
  const skip = (bytes: number) => {
    at += bytes
  }
  if (int() !== 0) throw new Error('the local chain takes scripts only')
  const gasLimit = u64()
  skip(32)
  const sizes = { script: int(), data: int() }
  const [policyBits, inputCount, outputCount, witnessCount] = [int(), int(), int(), int()]
  const [script, data] = [blob(sizes.script), blob(sizes.data)]
  const policy = (bit: number) => ((policyBits & bit) === 0 ? null : u64())
  const [tip, witnessLimit, maturity, maxFee, expiration] = [policy(1), policy(2), policy(4), policy(8), policy(16)]
  if (policyBits > 31) throw new Error('PoliciesAreInvalid')
  const loose: [number, number][] = [[RECEIPTS_ROOT_AT, 32]]
  const inputs = Array.from({ length: inputCount }, (): In => {
    const type = int()
    if (type === 0) {
      const utxo = b256() + int().toString(16).padStart(4, '0')
      const [owner, amount, asset] = [b256(), u64(), b256()]
      loose.push([at, 16])
      skip(16)
      const witness = int()
      loose.push([at, 8])
      skip(8)
      const lengths = [int(), int()] as const
      const [predicate, predicateData] = [blob(lengths[0]), blob(lengths[1])]
      return { kind: 'coin', utxo, owner, amount, asset, witness, predicate, predicateData }
    }
    if (type === 1) {
      loose.push([at, 32 + 8 + 32 + 32 + 16])
      skip(32 + 8 + 32 + 32 + 16)
      return { kind: 'contract', contract: b256() }
    }
    if (type !== 2) throw new Error(`unknown input ${type}`)
    skip(32 + 32 + 8 + 32 + 8)
    loose.push([at, 8])
    skip(8)
    const lengths = [int(), int(), int()] as const
    for (const length of lengths) blob(length)
    return { kind: 'message' }
  })
  const outputs = Array.from({ length: outputCount }, (): Out => {
    const type = int()
    if (type === 0 || type === 2 || type === 3) {
      const money = { at, to: b256(), amount: u64(), asset: b256() }
      if (type === 2) loose.push([money.at + 32, 8])
      if (type === 3) loose.push([money.at, 72])
      return { kind: type === 0 ? 'coin' : type === 2 ? 'change' : 'variable', ...money }
    }
    if (type === 1) {
      const input = int()
      loose.push([at, 64])
      skip(64)
      return { kind: 'contract', input }
    }
    if (type !== 4) throw new Error(`unknown output ${type}`)
    skip(64)
    return { kind: 'created' }
  })
  const witnessesAt = at
  const witnesses = Array.from({ length: witnessCount }, () => blob(int()))
  if (at !== raw.length) throw new Error('trailing bytes')
  const policies = { tip: tip ?? 0n, witnessLimit, maturity: maturity ?? 0n, maxFee, expiration }
  return { raw, gasLimit, script, data, ...policies, inputs, outputs, witnesses, loose, witnessesAt }
}

export function transactionId({ raw, loose, witnessesAt }: Decoded, chainId: bigint): string {
  const copy = Buffer.from(raw.subarray(0, witnessesAt))
  for (const [start, length] of loose) copy.fill(0, start, start + length)
  copy.fill(0, WITNESS_COUNT_AT, WITNESS_COUNT_AT + 8)
  return hex(digest(words(chainId), copy))
}

/** The signer of a 64-byte witness; null if it is not a valid signature. */
export function recovered(witness: Buffer, id: string): string | null {
  if (witness.length !== 64) return null
  const compact = Buffer.from(witness)
  const odd = (compact[32] ?? 0) >> 7
  compact[32] = (compact[32] ?? 0) & 0x7f
  try {
    const signature = secp256k1.Signature.fromHex(compact.toString('hex'), 'compact').addRecoveryBit(odd)
    const key = signature.recoverPublicKey(unhex(id)).toBytes(false)
    return hex(digest(key.subarray(1)))
  } catch {
    return null
  }
}

const CHUNK = 16 * 1024
const SEED = Buffer.from('FUEL')

export function predicateAddress(code: Buffer): string {
  return hex(digest(SEED, codeRoot(code)))
}

export function contractId(code: Buffer, salt: Buffer, stateRoot: Buffer): string {
  return hex(digest(SEED, salt, codeRoot(code), stateRoot))
}

function codeRoot(code: Buffer): Buffer {
  const whole = Buffer.concat([code, Buffer.alloc((8 - (code.length % 8)) % 8)])
  const chunks = Array.from({ length: Math.ceil(whole.length / CHUNK) }, (_, turn) =>
    whole.subarray(turn * CHUNK, (turn + 1) * CHUNK),
  )
  return treeRoot(chunks)
}

/** An append-only Merkle tree (a Merkle mountain range). */
export interface Tree {
  /** Complete subtrees from the left, each with its height. */
  peaks: readonly (readonly [height: number, hash: Buffer])[]
}

export const EMPTY_TREE: Tree = { peaks: [] }

export function grown({ peaks }: Tree, leaf: Buffer): Tree {
  const next = [...peaks, [0, digest(Buffer.from([0]), leaf)] as const]
  for (;;) {
    const [left, right] = [next.at(-2), next.at(-1)]
    if (!left || !right || left[0] !== right[0]) return { peaks: next }
    next.splice(-2, 2, [left[0] + 1, digest(Buffer.from([1]), left[1], right[1])])
  }
}

export function rootOf({ peaks }: Tree): Buffer {
  const folded = peaks
    .map(([, hash]) => hash)
    .reduceRight<Buffer | null>((right, left) => (right ? digest(Buffer.from([1]), left, right) : left), null)
  return folded ?? digest()
}

export function treeRoot(leaves: readonly Buffer[]): Buffer {
  return rootOf(leaves.reduce(grown, EMPTY_TREE))
}

export function digest(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

export function words(...values: readonly (bigint | number)[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [place, value] of values.entries()) bytes.writeBigUInt64BE(BigInt(value), place * 8)
  return bytes
}

export function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

export function unhex(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/, ''), 'hex')
}
