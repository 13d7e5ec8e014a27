/**
 * Whether the words of an operator may have a secret of no known form. The rule: prose has nothing that looks random, unless it is public.
 * That is an id, an address that a checksum tells from a key, and what a word directly in front calls a transaction or a block. Pure.
 */
import { base58check, bech32, bech32m } from '@scure/base'
import { looksRandom } from './looks-random.ts'
import { sha256 } from './secrets.ts'

const UUID = '(?<![0-9a-z])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])'
/** A hash, a commit, a fingerprint or an id. Base64 has mostly keys. */
const VALUE = String.raw`(${UUID}|((0x)?([0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{58,64})|[1-9A-HJ-NP-Za-km-z]{43,44}|[1-9A-HJ-NP-Za-km-z]{86,88})(?![\w+=-]))`
/** No account and no address, which have private keys, and no longer word such as "Transaktionsschlüssel". */
const IN_FRONT = String.raw`(?<![\p{L}\p{N}_-])((tx[ns]?|transa[ckzç]\p{L}{2,6}|blo(ck|que|c)|swap|payout)[ _-]?(id|hash)?|hash|sig|signature|commit|fingerprint|(交易|区块)(哈希)?)[\s:#="'(]{1,3}`
/** Pages of explorers, and our own. */
const SEGMENT = String.raw`https?:\/\/\S+\/(tx|txn|transaction|block|address|account|contract|token|commit|swap|payout)s?\/`
const PUBLIC: readonly RegExp[] = [
  new RegExp(`(?<=${IN_FRONT}|${SEGMENT})${VALUE}`, 'giu'),
  /(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/gi,
  /causeway_\w*public_[\w-]{43}(?![\w-])/g,
  /-----BEGIN PUBLIC KEY-----[\sA-Za-z0-9+/=]+-----END PUBLIC KEY-----/g,
  // Both ends of a hash or an address.
  /(?<![\p{L}\p{N}])\w{2,12}(…|\.{2,4})\w{2,12}(?![\p{L}\p{N}])/gu,
  // Dates and times, also in names of files.
  /(?<![0-9a-z])\d{8}T\d{6}Z(?![0-9a-z])/gi,
  /(?<![\w:-])(\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d(:\d\d)?)(?![\w:-])/g,
]
const ADDRESS = /(?<![\w+=-])[\w-]{25,120}(?![\w+=-])/g
/** An id outside a link is public, except beside these words: some API keys are UUIDs. */
const ID = new RegExp(String.raw`(?<!https?:\/\/\S*)${UUID}`, 'gi')
const ABOUT_KEYS =
  /(?<!\p{L})(key|priv|api|pin\b|cl(ave|é))|secret|seed|token|auth|credential|passw|pwd|phrase|mnemonic|schlüssel|contraseñ|密|钥|令牌/iu
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
  const ids = ABOUT_KEYS.test(text) ? [] : [ID]
  const rest = [...PUBLIC, ...ids].reduce((left, form) => left.replace(form, ','), text)
  const others = rest.replace(ADDRESS, (word) => (isAddress(word) ? ',' : word))
  return looksRandom(others.replace(LINK, (link) => link.replace(/%[0-9a-f]{2}|[/?&#=]/gi, ', ')))
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
