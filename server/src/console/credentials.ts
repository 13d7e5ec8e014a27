/**
 * Credentials: a password, stretched by scrypt, and a code of six digits that changes every thirty seconds (RFC 6238).
 */
import { createHash, createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const stretch = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** The cost of each attempt: 32 MB and about sixty milliseconds. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 32
const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks differ, so the previous and the next code are accepted too. */
const DRIFT = [0n, -1n, 1n]
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await stretch(password.normalize('NFKC'), salt, KEY_BYTES, COST)
  return `scrypt$${COST.N}$${salt.toString('base64')}$${key.toString('base64')}`
}

/** Verifies a password. Takes the same time without a stored one, so that timing does not reveal which names exist. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, cost = '', salt = '', key = ''] = (stored ?? '').split('$')
  const isKnown = scheme === 'scrypt' && Number(cost) === COST.N
  const made = await stretch(password.normalize('NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, COST)
  const wanted = Buffer.from(key, 'base64')
  return isKnown && wanted.length === made.length && timingSafeEqual(made, wanted)
}

/** Creates a TOTP secret of 160 bits, as authenticator apps read it. */
export function newCodeSecret(): string {
  const bits = [...randomBytes(20)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)] ?? '').join('')
}

/** The time step of this code; null if it is not current. */
export function stepOf(code: string, secret: string, now: Date): bigint | null {
  const current = BigInt(Math.floor(now.getTime() / 1000 / STEP_SECONDS))
  const found = DRIFT.map((drift) => current + drift).filter((step) => isEqual(codeAt(secret, step), code))
  return found[0] ?? null
}

export function codeAt(secret: string, step: bigint): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(step)
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The URI for an authenticator app, as a QR code or a link. */
export function codeAddress(name: string, secret: string): string {
  return `otpauth://totp/${encodeURIComponent(`Causeway:${name}`)}?secret=${secret}&issuer=Causeway`
}

/** Creates a random secret; only its hash is stored. */
export function newSecretWord(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOfWord(word: string): string {
  return createHash('sha256').update(word).digest('hex')
}

export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
