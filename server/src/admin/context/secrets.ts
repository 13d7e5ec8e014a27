/**
 * Recognises the known forms of private key material in the words of an operator, wherever they are typed. Secrets of no known form are
 * found by `prose.ts`. Pure: it reads the text and nothing else.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { base58 } from '@scure/base'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** DER of an Ed25519 private key in PKCS #8, before its 32 bytes. */
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
/** What follows the length of the outer DER sequence: PKCS #8, SEC1, PKCS #1. */
const DER_BEGINNINGS = [/^0201(00|01)30/, /^02010104/, /^02010002/]
/** PKCS #8 that a password seals (PBES2). */
const SEALED_DER = /^30[0-9a-f]{2}(81[0-9a-f]{2})?06092a864886f70d01050d/
const OPENSSH = Buffer.from('openssh-key-v1')
const HEAD_LETTERS = 64
const SEED_BYTES = 32
const PAIR_BYTES = 64
/** BIP 38: a key that a password seals. */
const SEALED_KEY_BYTES = 39
/** BIP 32: the byte before a private key; a public one begins with its sign. */
const EXTENDED = { bytes: 78, at: 45 }
const CHECKSUM_BYTES = 4
/** Of twelve words in a row, one may be mistyped. */
const PHRASE = { words: 12, known: 11 }

export const PRIVATE_KEY = 'a private key'
const WORDS: ReadonlySet<string> = new Set(wordlist)
const FORMS: readonly [RegExp, string][] = [
  [/BEGIN\s+(\w+\s+){0,3}PRIVATE\s+KEY|PRIVATE\s+KEY\s*-----|PuTTY-User-Key-File/i, PRIVATE_KEY],
  // As openssl prints a key, and as a JWK has it.
  [/Private-Key:|\bpriv:\s*[0-9a-f]{2}:/i, PRIVATE_KEY],
  [/\\?"d\\?"\s*:\s*\\?"[\w-]{42}/, PRIVATE_KEY],
  [/["']?(kdf|ciphertext|mnemonic|seed_?phrase|private_?key|secret_?key)["']?\s*:\s*["'{]/i, 'the file of a key'],
  [/causeway_(?!\w*public_)[a-z]+_[\w-]{43}/, 'a secret API key'],
  [/whsec_[\w+/=-]{20}/, 'the secret of a webhook'],
]
/** Thirty-two bytes, also with a few leading zeros left out, or with colons: a private key, a transaction, or the address of some chains. */
const BYTES32 = /(?<![0-9a-z])((0x)?[0-9a-f]{58,64}|([0-9a-f]{2}:){31}[0-9a-f]{2})(?![0-9a-z])/i

/** What kind of secret the text has; null if none is recognised. */
export function secretIn(text: string): string | null {
  const form = FORMS.find(([pattern]) => pattern.test(text))
  if (form) return form[1]
  if (hasPhrase(text)) return 'a recovery phrase'
  // A body may be broken into lines, also by escaped line breaks.
  const joined = text.replace(/\\[nr]|\s/g, '')
  return [text, joined].some((one) => hasKey(one)) ? PRIVATE_KEY : null
}

/** Whether the text has 32 bytes in hexadecimal, also with colons, which nothing tells from a private key. */
export function hasBytes32(text: string): boolean {
  return BYTES32.test(text)
}

function hasKey(text: string): boolean {
  const hex = tokens(text, /[0-9a-f]{64,}/gi).map((token) => Buffer.from(token, 'hex'))
  if (hex.some((bytes) => isPrivateDer(bytes) || isKeyPair(bytes))) return true
  if (tokens(text, /[1-9A-HJ-NP-Za-km-z]{48,120}/g).some(isBase58Key)) return true
  return tokens(text, /[A-Za-z0-9+/_-]{20,}={0,2}/g).some(isBase64Key)
}

function tokens(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? []
}

/** In base64: the beginning of a key anywhere in the token, or a key pair that is the whole of it. */
function isBase64Key(token: string): boolean {
  if (isKeyPair(Buffer.from(token, 'base64'))) return true
  for (const { index } of token.matchAll(/[Mb]/g)) {
    const head = Buffer.from(token.slice(index, index + HEAD_LETTERS), 'base64')
    if (isPrivateDer(head) || head.subarray(0, OPENSSH.length).equals(OPENSSH)) return true
  }
  return false
}

function isPrivateDer(bytes: Buffer): boolean {
  if (bytes[0] !== 0x30) return false
  const length = bytes[1] ?? 0
  const after = length < 0x80 ? 2 : 2 + (length & 0x7f)
  const content = bytes.subarray(after, after + 20).toString('hex')
  return SEALED_DER.test(content) || DER_BEGINNINGS.some((beginning) => beginning.test(content))
}

/** An Ed25519 seed with its own public key behind it. A signature or an address is none. */
function isKeyPair(bytes: Buffer): boolean {
  if (bytes.length !== PAIR_BYTES) return false
  const der = Buffer.concat([SEED_PREFIX, bytes.subarray(0, SEED_BYTES)])
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES)
  return raw.equals(bytes.subarray(SEED_BYTES))
}

/** In base58: a WIF key, an extended private key, one that a password seals, or a key pair. */
function isBase58Key(token: string): boolean {
  const bytes = Buffer.from(base58.decode(token))
  if (isKeyPair(bytes)) return true
  const payload = bytes.subarray(0, -CHECKSUM_BYTES)
  const sum = sha256(sha256(payload)).subarray(0, CHECKSUM_BYTES)
  if (!sum.equals(bytes.subarray(-CHECKSUM_BYTES))) return false
  const { length } = payload
  if (length === EXTENDED.bytes) return payload[EXTENDED.at] === 0
  return length === SEED_BYTES + 1 || (length === SEED_BYTES + 2 && payload.at(-1) === 1) || length === SEALED_KEY_BYTES
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** A recovery phrase as BIP 39 writes it, also numbered or with commas. */
function hasPhrase(text: string): boolean {
  const known = (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => Number(WORDS.has(word)))
  return known.some((_, at) => {
    const row = known.slice(at, at + PHRASE.words)
    return row.length === PHRASE.words && row.reduce((sum, one) => sum + one, 0) >= PHRASE.known
  })
}
