/**
 * Signs with keys derived from a recovery phrase in memory: BIP-32 for secp256k1, BIP-32 and grinding for Stark,
 * SLIP-10 for ed25519.
 */
import { createHmac, createPrivateKey, type KeyObject, sign as signNatively } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyRef, Signer } from '@causeway/core'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { ConfigError } from '../../config.ts'
import { groundKey, starkPublicKey, starkSign } from '../curves/stark.ts'

export function mnemonicSigner(mnemonic: string): Signer {
  // The message must not contain the phrase.
  if (!validateMnemonic(mnemonic, wordlist)) throw new ConfigError('the recovery phrase is not a valid BIP-39 phrase')
  const seed = mnemonicToSeedSync(mnemonic)
  const root = HDKey.fromMasterSeed(seed)
  const keys = new Map<string, Uint8Array>()
  const privateKey = ({ curve, path }: KeyRef): Uint8Array => {
    const name = `${curve} ${path}`
    const known = keys.get(name)
    if (known) return known
    const derived = curve === 'ed25519' ? slip10(seed, path) : root.derive(path).privateKey
    if (!derived) throw new ConfigError(`no key can be derived at ${path}`)
    const key = curve === 'stark' ? groundKey(derived) : derived
    keys.set(name, key)
    return key
  }
  const nativeKeys = new Map<string, KeyObject>()
  const nativeKey = (ref: KeyRef): KeyObject => {
    const known = nativeKeys.get(ref.path)
    if (known) return known
    const der = Buffer.concat([ED25519_PKCS8, privateKey(ref)])
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    nativeKeys.set(ref.path, key)
    return key
  }
  return {
    async publicKey(ref) {
      const key = privateKey(ref)
      if (ref.curve === 'stark') return starkPublicKey(key)
      return ref.curve === 'ed25519' ? ed25519.getPublicKey(key) : secp256k1.getPublicKey(key, true)
    },
    async sign(ref, digest) {
      // Node's own ed25519 gives the same signature as the library, many times faster and off the main thread. Quotes
      // are signed while a client waits.
      if (ref.curve === 'ed25519') return signAside(null, digest, nativeKey(ref))
      const key = privateKey(ref)
      if (ref.curve === 'stark') return starkSign(key, digest)
      const recovered = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
      // The library puts the recovery bit first; wallets and `core/src/port` put it last.
      return Uint8Array.from([...recovered.slice(1), recovered[0] ?? 0])
    },
  }
}

const signAside = promisify(signNatively)

/** PKCS #8 prefix of a raw 32-byte ed25519 private key. */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Hardened derivation only, as SLIP-10 defines it for ed25519. */
function slip10(seed: Uint8Array, path: string): Uint8Array {
  let node = createHmac('sha512', 'ed25519 seed').update(seed).digest()
  for (const level of path.split('/').slice(1)) {
    if (!/^\d+'$/.test(level)) throw new ConfigError(`ed25519 keys are derived by hardened steps only, not ${path}`)
    const index = Buffer.alloc(4)
    index.writeUInt32BE((Number.parseInt(level, 10) | 0x80000000) >>> 0)
    const data = Buffer.concat([Buffer.from([0]), node.subarray(0, 32), index])
    node = createHmac('sha512', node.subarray(32)).update(data).digest()
  }
  return new Uint8Array(node.subarray(0, 32))
}
