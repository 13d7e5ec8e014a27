/**
 * Transactions in blocks, decoded from their own bytes. All kinds that can hold coins are decoded; the part specific to
 * a kind (a script, a contract's code, an upgrade) is kept as bytes.
 */
import { bytesOf, hexOf, type Reader, readerOf } from './bytes.ts'

export const KIND = { script: 0, create: 1, mint: 2, upgrade: 3, upload: 4, blob: 5 } as const
export const INPUT = { coin: 0, contract: 1, message: 2 } as const
export const OUTPUT = { coin: 0, contract: 1, change: 2, variable: 3, created: 4 } as const
/** Each policy is one bit of a field that lists the present ones; their values follow in this order. */
export const POLICY = { tip: 1, witnessLimit: 2, maturity: 4, maxFee: 8, expiration: 16 } as const

/** A coin, identified by the output that created it. */
export interface Outpoint {
  txId: string
  index: number
}

export interface CoinInput extends Outpoint {
  type: 'coin'
  owner: string
  units: bigint
  asset: string
  witnessIndex: number
  /** The predicate's code; empty if a key signs for the coin. */
  predicate: Uint8Array
  predicateData: Uint8Array
}

interface MessageInput {
  type: 'message'
  sender: string
  recipient: string
  units: bigint
  nonce: string
  witnessIndex: number
  data: Uint8Array
  predicate: Uint8Array
  predicateData: Uint8Array
}

interface ContractInput {
  type: 'contract'
  contract: string
}

export type Input = CoinInput | MessageInput | ContractInput

export type Output =
  | { type: 'coin' | 'change' | 'variable'; to: string; units: bigint; asset: string }
  | { type: 'contract'; inputIndex: number }
  | { type: 'created'; contract: string; stateRoot: string }

export interface Transaction {
  kind: number
  /** The bytes between the kind and the policies' field, including a script's receipts root. */
  head: Uint8Array
  /** The bytes between the counts and the policies: a script and its data, storage slots of a contract. */
  body: Uint8Array
  /** The policies by their bits, the lowest first. */
  policies: readonly (readonly [bit: number, value: bigint])[]
  inputs: readonly Input[]
  outputs: readonly Output[]
  witnesses: readonly Uint8Array[]
}

/**
 * Decodes a transaction. Null for a block's own mint, which holds no user coins. Throws if the bytes are not a known
 * transaction.
 */
export function parseTransaction(hex: string): Transaction | null {
  const bytes = bytesOf(hex)
  const reader = readerOf(bytes)
  const kind = reader.count()
  if (kind === KIND.mint) return null
  const bodySize = readHead(reader, kind)
  const head = bytes.subarray(8, reader.position())
  const policyBits = reader.count()
  const counts = [reader.count(), reader.count(), reader.count()] as const
  const bodyStart = reader.position()
  reader.text(bodySize)
  const body = bytes.subarray(bodyStart, reader.position())
  const bits = Array.from({ length: 31 }, (_, place) => 2 ** place).filter((bit) => (policyBits & bit) !== 0)
  const policies = bits.map((bit) => [bit, reader.word()] as const)
  const inputs = times(counts[0], () => readInput(reader))
  const outputs = times(counts[1], () => readOutput(reader))
  const witnesses = times(counts[2], () => reader.text(reader.count()))
  if (reader.position() !== bytes.length) throw new RangeError('bytes behind a transaction')
  return { kind, head, body, policies, inputs, outputs, witnesses }
}

export function policyOf({ policies }: Transaction, bit: number): bigint | null {
  return policies.find(([known]) => known === bit)?.[1] ?? null
}

/** A coin as a slot's part names it. */
export function partOf({ txId, index }: Outpoint): string {
  return `${txId}:${index}`
}

/** Parses a slot's part; null if it is not a coin. Each coin has one spelling. */
export function outpointOf(part: string): Outpoint | null {
  const match = /^(0x[0-9a-f]{64}):(0|[1-9]\d{0,4})$/.exec(part)
  const index = Number(match?.[2])
  return match?.[1] !== undefined && index <= 0xffff ? { txId: match[1], index } : null
}

export function coinInputs({ inputs }: Transaction): CoinInput[] {
  return inputs.filter((input) => input.type === 'coin')
}

/** Reads the head of a transaction. Returns the number of bytes after the counts. */
function readHead(reader: Reader, kind: number): number {
  switch (kind) {
    case KIND.script: {
      reader.word()
      reader.id()
      return wholeWords(reader.count()) + wholeWords(reader.count())
    }
    case KIND.create: {
      reader.word()
      reader.id()
      return reader.count() * 64
    }
    case KIND.upgrade: {
      if (reader.count() === 0) reader.word()
      reader.id()
      return 0
    }
    case KIND.upload: {
      reader.id()
      for (let field = 0; field < 3; field++) reader.word()
      return reader.count() * 32
    }
    case KIND.blob: {
      reader.id()
      reader.word()
      return 0
    }
    default:
      throw new RangeError(`a transaction of kind ${kind}`)
  }
}

function readInput(reader: Reader): Input {
  const type = reader.count()
  if (type === INPUT.coin) {
    const coin = { txId: reader.id(), index: reader.count(), owner: reader.id(), units: reader.word() }
    const asset = reader.id()
    pass(reader, 2)
    const witnessIndex = reader.count()
    pass(reader, 1)
    const sizes = [reader.count(), reader.count()] as const
    const [predicate, predicateData] = [reader.text(sizes[0]), reader.text(sizes[1])]
    return { type: 'coin', ...coin, asset, witnessIndex, predicate, predicateData }
  }
  if (type === INPUT.contract) {
    reader.id()
    pass(reader, 1)
    reader.id()
    reader.id()
    pass(reader, 2)
    return { type: 'contract', contract: reader.id() }
  }
  if (type !== INPUT.message) throw new RangeError(`an input of type ${type}`)
  const message = { sender: reader.id(), recipient: reader.id(), units: reader.word(), nonce: reader.id() }
  const witnessIndex = reader.count()
  pass(reader, 1)
  const sizes = [reader.count(), reader.count(), reader.count()] as const
  const data = reader.text(sizes[0])
  const [predicate, predicateData] = [reader.text(sizes[1]), reader.text(sizes[2])]
  return { type: 'message', ...message, witnessIndex, data, predicate, predicateData }
}

const MONEY: Record<number, 'coin' | 'change' | 'variable'> = {
  [OUTPUT.coin]: 'coin',
  [OUTPUT.change]: 'change',
  [OUTPUT.variable]: 'variable',
}

function readOutput(reader: Reader): Output {
  const type = reader.count()
  const money = MONEY[type]
  if (money) return { type: money, to: reader.id(), units: reader.word(), asset: reader.id() }
  if (type === OUTPUT.contract) {
    const inputIndex = reader.count()
    reader.id()
    reader.id()
    return { type: 'contract', inputIndex }
  }
  if (type !== OUTPUT.created) throw new RangeError(`an output of type ${type}`)
  return { type: 'created', contract: reader.id(), stateRoot: reader.id() }
}

function pass(reader: Reader, words: number): void {
  for (let passed = 0; passed < words; passed++) reader.word()
}

function wholeWords(size: number): number {
  return size + (-size & 7)
}

/** More than a node accepts in one transaction is invalid and not worth the memory. */
const MOST_PARTS = 65_536

function times<T>(count: number, read: () => T): T[] {
  if (count > MOST_PARTS) throw new RangeError('a transaction of too many parts')
  return Array.from({ length: count }, read)
}

/** The receipts root of a script in the stored bytes; null for other kinds. */
export function receiptsRootOf({ kind, head }: Transaction): string | null {
  return kind === KIND.script ? hexOf(head.subarray(8, 40)) : null
}
