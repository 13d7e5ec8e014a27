/** A recovery phrase in a file, encrypted with a password: scrypt makes the key, AES-256-GCM seals the phrase. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { ENVIRONMENTS } from '@causeway/core'
import { z } from 'zod'
import { ConfigError } from '../../config.ts'

/** About a third of a second and 128 MB per guess: expensive for an attacker, acceptable once per start. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 }
const KEY_BYTES = 32

const Keystore = z.object({
  version: z.literal(1),
  kdf: z.object({ name: z.literal('scrypt'), n: z.int(), r: z.int(), p: z.int(), salt: z.base64() }),
  /**
   * The only environment in which the phrase may be used; authenticated by the cipher. Absent in keystores of earlier
   * releases.
   */
  environment: z.enum(ENVIRONMENTS).optional(),
  cipher: z.object({ name: z.literal('aes-256-gcm'), nonce: z.base64(), tag: z.base64(), text: z.base64() }),
})

export type KeystoreEnvironment = (typeof ENVIRONMENTS)[number]

export function sealKeystore(mnemonic: string, password: string, environment?: KeystoreEnvironment): string {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', scryptSync(password, salt, KEY_BYTES, SCRYPT), nonce)
  if (environment) cipher.setAAD(Buffer.from(environment))
  const text = Buffer.concat([cipher.update(mnemonic, 'utf8'), cipher.final()])
  const file: z.infer<typeof Keystore> = {
    version: 1,
    ...(environment ? { environment } : {}),
    kdf: { name: 'scrypt', n: SCRYPT.N, r: SCRYPT.r, p: SCRYPT.p, salt: salt.toString('base64') },
    cipher: {
      name: 'aes-256-gcm',
      nonce: nonce.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      text: text.toString('base64'),
    },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Decrypts the phrase. The error does not tell a wrong password from a damaged file. On some chains a signature of one
 * environment is valid in another, so a keystore that names an environment opens in no other.
 */
export function openKeystore(text: string, password: string, environment?: KeystoreEnvironment): string {
  const parsed = Keystore.safeParse(parseJson(text))
  if (!parsed.success) throw new ConfigError('the keystore file is not a Causeway keystore')
  const { kdf, cipher, environment: sealedFor } = parsed.data
  if (sealedFor && environment && sealedFor !== environment) {
    throw new ConfigError(`the keystore is for ${sealedFor}, and this is ${environment}: give each a phrase of its own`)
  }
  const salt = Buffer.from(kdf.salt, 'base64')
  const key = scryptSync(password, salt, KEY_BYTES, { N: kdf.n, r: kdf.r, p: kdf.p, maxmem: SCRYPT.maxmem })
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(cipher.nonce, 'base64'))
  if (sealedFor) decipher.setAAD(Buffer.from(sealedFor))
  decipher.setAuthTag(Buffer.from(cipher.tag, 'base64'))
  try {
    return Buffer.concat([decipher.update(Buffer.from(cipher.text, 'base64')), decipher.final()]).toString('utf8')
  } catch {
    throw new ConfigError('the keystore does not open: wrong password, or a damaged file')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
