/**
 * Verifies that an address signed a text as wallets of this family do (ADR-036): a transaction that no chain would
 * accept, containing the text. The key is recovered from the signature, so only the signature is needed.
 */
import type { Address } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOf } from '../address.ts'
import type { Settings } from '../settings.ts'
import { hasherOf } from '../transaction.ts'

export async function verifyMessage(
  { prefix, key }: Pick<Settings, 'prefix' | 'key'>,
  claim: { address: Address; text: string; signature: string },
): Promise<boolean> {
  const signature = signatureIn(claim.signature)
  if (signature === null || !claim.address.startsWith(`${prefix}1`)) return false
  const digest = hasherOf(key)(Buffer.from(documentOf(claim.address, claim.text)))
  return [0, 1, 2, 3].some((recovery) => {
    try {
      const parsed = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recovery)
      const publicKey = parsed.recoverPublicKey(digest).toBytes(true)
      return addressOf(publicKey, prefix, key) === claim.address
    } catch {
      return false
    }
  })
}

/** Parses a signature in hex or base64, or in the form that wallets return together with the key. */
function signatureIn(text: string): Uint8Array | null {
  const [, inside] = /^\{.*"signature"\s*:\s*"([A-Za-z0-9+/=]+)".*\}$/s.exec(text.trim()) ?? []
  const written = inside ?? text.trim()
  const bytes = /^[0-9a-fA-F]{128}$/.test(written) ? Buffer.from(written, 'hex') : Buffer.from(written, 'base64')
  return bytes.length === 64 ? Uint8Array.from(bytes) : null
}

/** The exact signed bytes: keys in alphabetical order, no spaces. */
export function documentOf(signer: Address, text: string): string {
  const data = Buffer.from(text).toString('base64')
  return JSON.stringify({
    account_number: '0',
    chain_id: '',
    fee: { amount: [], gas: '0' },
    memo: '',
    msgs: [{ type: 'sign/MsgSignData', value: { data, signer } }],
    sequence: '0',
  })
}
