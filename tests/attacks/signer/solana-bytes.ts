/**
 * A decoder of Solana transactions that shares no code with the encoder, written from the public format description.
 */

interface Invocation {
  /** Base58, as are accounts. */
  program: string
  accounts: string[]
  data: Buffer
}

interface WireTransaction {
  payer: string
  signers: string[]
  /** The recent blockhash, or the value of a nonce account. */
  lifetime: string
  invocations: Invocation[]
}

export function readTransaction(base64: string): WireTransaction {
  const wire = readerOf(Buffer.from(base64, 'base64'))
  const signatures = wire.count()
  wire.take(64 * signatures)
  const [required = 0] = wire.take(1)
  // The legacy form: a versioned message has the highest bit set here.
  if (required >= 0x80 || required !== signatures) throw new Error('not a message of the older form')
  wire.take(2)
  const keys = Array.from({ length: wire.count() }, () => base58(wire.take(32)))
  const lifetime = base58(wire.take(32))
  const keyAt = (index: number): string => {
    const key = keys[index]
    if (key === undefined) throw new Error('an account is missing')
    return key
  }
  const invocations = Array.from({ length: wire.count() }, () => {
    const program = keyAt(wire.take(1)[0] ?? 255)
    const accounts = [...wire.take(wire.count())].map(keyAt)
    return { program, accounts, data: wire.take(wire.count()) }
  })
  if (wire.left() > 0) throw new Error('bytes behind the message')
  return { payer: keyAt(0), signers: keys.slice(0, required), lifetime, invocations }
}

function readerOf(bytes: Buffer) {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the bytes end early')
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    take,
    left: () => bytes.length - at,
    /** Compact-u16: seven bits per byte, the lowest first. */
    count(): number {
      let value = 0
      for (let shift = 0; ; shift += 7) {
        const [byte = 0] = take(1)
        value |= (byte & 0x7f) << shift
        if (byte < 0x80) return value
      }
    },
  }
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = (ALPHABET[Number(value % 58n)] ?? '') + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
