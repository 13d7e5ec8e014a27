/**
 * A decoder of signed TON bytes that shares no code with the encoder: bags of cells, messages and the highload wallet's
 * request, written from the public descriptions (block.tlb, the wallet's own schema).
 */

interface Cell {
  bits: string
  refs: Cell[]
}

interface Sent {
  workchain: number
  /** The account's 32 bytes in hex. */
  to: string
  value: bigint
  mode: number
  /** The message to a jetton wallet: its units, and the new owner's 32 bytes. */
  jetton: { units: bigint; to: string; response: string; forward: bigint } | null
}

interface Request {
  /** The contract that the message is for. */
  to: string
  subwalletId: number
  queryId: number
  createdAt: bigint
  timeout: number
  /** The hash of the signed cell is not decoded: checking the signature would need the library. */
  sent: Sent[]
  /** The value of the message to itself that carries several transfers; zero for a single transfer. */
  toItself: bigint
}

const INTERNAL_TRANSFER = 0xae42e5a4n
const JETTON_TRANSFER = 0x0f8a7ea5n
const SEND_ACTION = 0x0ec3c86dn

export function readRequest(base64: string): Request {
  const outer = reading(readBag(Buffer.from(base64, 'base64')))
  if (outer.bits(2) !== 2n) throw new Error('not an external message')
  if (outer.bits(2) !== 0n) throw new Error('an external sender')
  const { hash } = outer.address()
  outer.coins()
  outer.maybeInit()
  const body = outer.bits(1) === 1n ? reading(outer.ref()) : outer
  body.bits(512)
  const inner = reading(body.ref())
  const subwalletId = Number(inner.bits(32))
  const message = inner.ref()
  const mode = Number(inner.bits(8))
  const request = { to: hash, subwalletId, queryId: Number(inner.bits(23)), createdAt: inner.bits(64) }
  const timeout = Number(inner.bits(22))
  inner.nothingElse()
  const first = readMessage(message, mode)
  const actions = first.sent.to === hash ? actionsIn(first.body) : null
  return actions
    ? { ...request, timeout, sent: actions, toItself: first.sent.value }
    : { ...request, timeout, sent: [first.sent], toItself: 0n }
}

function readMessage(cell: Cell, mode: number): { sent: Sent; body: Reading } {
  const slice = reading(cell)
  if (slice.bits(1) !== 0n) throw new Error('not an internal message')
  slice.bits(3)
  if (slice.bits(2) !== 0n) throw new Error('a sender is written for us')
  const { workchain, hash } = slice.address()
  const value = slice.coins()
  if (slice.bits(1) !== 0n) throw new Error('other currencies')
  slice.coins()
  slice.coins()
  slice.bits(64)
  slice.bits(32)
  if (slice.bits(1) !== 0n) throw new Error('a contract is deployed along')
  const body = slice.bits(1) === 1n ? reading(slice.ref()) : slice
  const peek = body.copy()
  const jetton = peek.left() >= 32 && peek.bits(32) === JETTON_TRANSFER ? jettonIn(peek) : null
  return { sent: { workchain, to: hash, value, mode, jetton }, body }
}

function jettonIn(body: Reading): NonNullable<Sent['jetton']> {
  body.bits(64)
  const units = body.coins()
  const to = body.address().hash
  const response = body.address().hash
  if (body.bits(1) !== 0n) throw new Error('a payload of its own')
  return { units, to, response, forward: body.coins() }
}

/** The messages that the wallet sends; null for a plain transfer to itself. */
function actionsIn(body: Reading): Sent[] | null {
  if (body.left() < 32 || body.bits(32) !== INTERNAL_TRANSFER) return null
  body.bits(64)
  const sent: Sent[] = []
  for (let list = reading(body.ref()); list.left() > 0; ) {
    const before = reading(list.ref())
    if (list.bits(32) !== SEND_ACTION) throw new Error('an action that sends nothing')
    const mode = Number(list.bits(8))
    sent.unshift(readMessage(list.ref(), mode).sent)
    list = before
  }
  return sent
}

type Reading = ReturnType<typeof reading>

function reading(cell: Cell, startBit = 0, startRef = 0) {
  let at = startBit
  let next = startRef
  const self = {
    left: () => cell.bits.length - at,
    bits(count: number): bigint {
      if (at + count > cell.bits.length) throw new Error('the cell ends early')
      at += count
      return count === 0 ? 0n : BigInt(`0b${cell.bits.slice(at - count, at)}`)
    },
    ref(): Cell {
      const found = cell.refs[next++]
      if (!found) throw new Error('a reference is missing')
      return found
    },
    coins: (): bigint => self.bits(8 * Number(self.bits(4))),
    address(): { workchain: number; hash: string } {
      if (self.bits(3) !== 4n) throw new Error('not a plain address')
      const workchain = Number(BigInt.asIntN(8, self.bits(8)))
      return { workchain, hash: self.bits(256).toString(16).padStart(64, '0') }
    },
    /** Code and data that an external message carries to deploy a contract. */
    maybeInit(): void {
      if (self.bits(1) === 0n) return
      if (self.bits(1) === 1n) return void self.ref()
      if (self.bits(2) !== 0n) throw new Error('an unusual contract')
      for (let part = 0; part < 2; part++) if (self.bits(1) === 1n) self.ref()
      self.bits(1)
    },
    copy: () => reading(cell, at, next),
    nothingElse(): void {
      if (at < cell.bits.length || next < cell.refs.length) throw new Error('something else stands in the cell')
    },
  }
  return self
}

/** A single root, without stored hashes. */
function readBag(bytes: Buffer): Cell {
  let at = 0
  const number = (size: number): number => {
    at += size
    return bytes.readUIntBE(at - size, size)
  }
  if (number(4) !== 0xb5ee9c72) throw new Error('not a bag of cells')
  const flags = number(1)
  const size = flags & 7
  const offset = number(1)
  const [count, roots] = [number(size), number(size)]
  number(size)
  number(offset)
  if (roots !== 1) throw new Error('several roots')
  const root = number(size)
  if (flags & 0x80) at += count * offset
  const raw = Array.from({ length: count }, () => {
    const [first, second] = [number(1), number(1)]
    if (first & 0x18) throw new Error('an unusual cell')
    const data = bytes.subarray(at, at + Math.ceil(second / 2))
    at += data.length
    const all = [...data].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    // With an odd length, the last byte ends with a one bit and padding zeros.
    const bits = second % 2 === 1 ? all.slice(0, all.lastIndexOf('1')) : all
    return { bits, refs: Array.from({ length: first & 7 }, () => number(size)) }
  })
  const build = (index: number): Cell => {
    const found = raw[index]
    if (!found) throw new Error('a cell is missing')
    return { bits: found.bits, refs: found.refs.map(build) }
  }
  return build(root)
}
