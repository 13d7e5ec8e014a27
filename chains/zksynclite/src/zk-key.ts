/**
 * The account's second key: a Schnorr key on a curve that no signer supports. It is derived from a signature of
 * Ethereum's key, as every client does, and never stored: each transfer derives it again.
 */
import { hexToBytes } from 'viem'
import zk from 'zksync-crypto'
import { MAIN_CHAIN_ID } from './settings.ts'

export interface ZkKey {
  /** `sync:` and 40 hex digits: the server's id of the key. */
  keyHash: string
  sign(bytes: Uint8Array): ZkSignature
}

export interface ZkSignature {
  pubKey: string
  signature: string
}

/** The text whose signature is the seed. Outside mainnet it names the chain, so that no key is valid for both. */
export function loginText(ethereumChainId: number): string {
  const text = 'Access zkSync account.\n\nOnly sign this message for a trusted client!'
  return ethereumChainId === MAIN_CHAIN_ID ? text : `${text}\nChain ID: ${ethereumChainId}.`
}

export function zkKeyOf(seed: Uint8Array): ZkKey {
  const secret = zk.privateKeyFromSeed(seed)
  return {
    keyHash: `sync:${hex(zk.private_key_to_pubkey_hash(secret))}`,
    sign(bytes) {
      const signed = zk.sign_musig(secret, bytes)
      return { pubKey: hex(signed.subarray(0, 32)), signature: hex(signed.subarray(32)) }
    },
  }
}

/** The seed of the zk key, from a signature in Ethereum's form. */
export function seedOf(signature: `0x${string}`): Uint8Array {
  return hexToBytes(signature)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
