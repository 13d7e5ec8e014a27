/**
 * The key that signs quotes. It moves no money, so it may be in the service's process while the wallets' keys are not.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { KeyRef, Signer } from '@causeway/core'
import { ConfigError } from '../../config.ts'

/** The coin type 20261 is used by no chain, so this is never the key of a wallet. */
export const QUOTE_KEY: KeyRef = { curve: 'ed25519', path: "m/44'/20261'/0'" }

export function isQuoteKey({ curve, path }: KeyRef): boolean {
  return curve === QUOTE_KEY.curve && path === QUOTE_KEY.path
}

/** The given signer, except that quotes are signed with the key in this PEM text. */
export function withQuoteKey(signer: Signer, pem: string): Signer {
  const key = readKey(pem)
  const jwk = createPublicKey(key).export({ format: 'jwk' })
  const publicKey = new Uint8Array(Buffer.from(jwk.x ?? '', 'base64url'))
  return {
    ...signer,
    publicKey: async (ref) => (isQuoteKey(ref) ? publicKey : signer.publicKey(ref)),
    sign: async (ref, digest, intent) => {
      if (!isQuoteKey(ref)) return signer.sign(ref, digest, intent)
      return new Uint8Array(sign(null, digest, key))
    },
  }
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The parser's error is dropped: it may quote the file's content.
  }
  throw new ConfigError('QUOTE_KEY_FILE: not an ed25519 private key in PEM (openssl genpkey -algorithm ed25519)')
}
