/**
 * Whether the words of an operator may have a secret of no known form. The rule: prose has nothing that looks random, unless it is public.
 * An id, or an address that a checksum tells from a key, is public. So is what the text presents as a transaction, a block, an address
 * or an account. Pure.
 */
import { base58, base58check, bech32, bech32m } from '@scure/base'
import { looksRandom } from './looks-random.ts'
import { sha256 } from './secrets.ts'

const PLAIN: readonly RegExp[] = [
  /(?<![0-9a-z])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi,
  /(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/gi,
  /causeway_\w*public_[\w-]{43}(?![\w-])/g,
  /-----BEGIN PUBLIC KEY-----[\sA-Za-z0-9+/=]+-----END PUBLIC KEY-----/g,
  // Both ends of a hash or an address.
  /(?<![\p{L}\p{N}])\w{2,12}(…|\.{2,4})\w{2,12}(?![\p{L}\p{N}])/gu,
  // Dates and times.
  /(?<![\w:-])(\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d(:\d\d)?)(?![\w:-])/g,
]
const ADDRESS = /(?<![\w+=-])[\w-]{25,120}(?![\w+=-])/g
/** A hash, or the address of some chains, in hexadecimal or base58; a commit; a fingerprint. In base64 are mostly keys. */
const VALUE =
  /(?<![\w+=-])(?:(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{58,64})|[1-9A-HJ-NP-Za-km-z]{43,44}|[1-9A-HJ-NP-Za-km-z]{86,88})(?![\w+=-])/gi
const PRESENTS =
  /^(tx(n|s|id|hash)?|hash(es)?|sig|signatures?|commit|fingerprint)$|^(trans?a[ckz]|block|bloque|addr|adres|direcci|account|cuenta|konto|contract)|交易|区块|地址|账户/iu
const WORDS_BEFORE = 5
const ABOUT_KEYS =
  /private|secret|seed|mnemonic|phrase|password|passwort|\bkeys?\b|\b(access|api|auth|bearer|bot|login|refresh|session)[ _-]?token|\btoken\s*[:=]/i
const LINK = /https?:\/\/\S+/gi
const CREDENTIALS: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/i,
  /[?&#;]((\w+[_-])?(password|passwd|pwd|secret|api_?key|access_?key|credential)|((access|api|auth|bot|id|refresh|session)[_-]?)?token|signature|sig|auth)=[^\s&]/i,
  /\b\w*(password|passwd|pwd|secret|api_?key|access_?key)["']?\s*=\s*\S/i,
]

/** Whether the text has an address with a password or a token, such as postgres://user:password@host. */
export function hasCredentials(text: string): boolean {
  return CREDENTIALS.some((form) => form.test(text))
}

/** Whether the text has something that looks random and is not known to be public. */
export function hasUnexplainedRandom(written: string): boolean {
  // Copied text may have invisible characters.
  const text = written.replace(/\p{Cf}/gu, '')
  const known = PLAIN.reduce((rest, form) => rest.replace(form, ','), text).replace(ADDRESS, (word) =>
    isAddress(word) ? ',' : word,
  )
  const rest = ABOUT_KEYS.test(text) ? known : withoutPresented(known)
  return looksRandom(rest.replace(LINK, (link) => link.replace(/[/?&#=]/g, ',')))
}

/** Without the values that one of the words before them presents as public. */
function withoutPresented(text: string): string {
  return text.replace(VALUE, (value: string, at: number) =>
    isPresentedBy(text.slice(0, at)) && isValue(value) ? ',' : value,
  )
}

/** A new sentence presents nothing that is in another. */
function isPresentedBy(before: string): boolean {
  const sentences = before.replace(VALUE, ' ').split(/[.!?]\s|\n\s*\n/)
  const words = sentences.at(-1)?.match(/\p{L}+/gu) ?? []
  return words.slice(-WORDS_BEFORE).some((word) => PRESENTS.test(word))
}

/** Hexadecimal, or 32 or 64 bytes in base58. */
function isValue(text: string): boolean {
  return /^(0x)?[0-9a-f]+$/i.test(text) || [32, 64].includes(bytesOf(() => base58.decode(text))?.length ?? 0)
}

/** An address with a checksum: of Bitcoin, Tron, Cosmos chains, TON. */
function isAddress(text: string): boolean {
  return isBech32(text) || bytesOf(() => ADDRESS_CHECK.decode(text))?.length === 21 || isTonAddress(text)
}

const ADDRESS_CHECK = base58check(sha256)

/** Not the forms of private keys, whose prefix says so. */
function isBech32(text: string): boolean {
  const found = bech32.decodeUnsafe(text, false) ?? bech32m.decodeUnsafe(text, false)
  return found !== undefined && !/sec|priv|key/i.test(found.prefix)
}

/** A flag, the chain, 32 bytes and their CRC. */
function isTonAddress(text: string): boolean {
  if (text.length !== 48) return false
  const bytes = Buffer.from(text, 'base64url')
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1
  }
  return bytes.length === 36 && [0x11, 0x51, 0x91, 0xd1].includes(bytes[0] ?? 0) && crc === 0
}

function bytesOf(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode()
  } catch {
    return null
  }
}
