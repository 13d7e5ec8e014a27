/**
 * An operator's approval of one payout: a text that names network, token, amount, recipient and payout, signed with an
 * Ed25519 key that the service does not hold. It is valid for exactly this payment, in one replay slot.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { type Transfer, tokenKey } from '@causeway/core'
import { ConfigError } from '../../config.ts'

interface ApprovalSubject {
  network: string
  /** The token's contract address, or `native`. */
  token: string
  units: bigint
  to: string
  payout: string
  attempt: number
}

/** DER prefix of a raw 32-byte Ed25519 public key. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
/** Visible ASCII without spaces: such a value cannot add a line to the signed text, and cannot look empty. */
const WORD = /^[\x21-\x7e]+$/

/**
 * The text that an approver signs: one text per payment. Null if a value has characters that could forge another line.
 */
export function approvalText(subject: ApprovalSubject): string | null {
  const { network, token, units, to, payout, attempt } = subject
  if (![network, token, to, payout].every((word) => WORD.test(word))) return null
  return `${[
    'Causeway: I approve this payout.',
    `network ${network}`,
    `token ${token}`,
    `units ${units}`,
    `to ${to}`,
    `payout ${payout}`,
    `attempt ${attempt}`,
  ].join('\n')}\n`
}

/** The public keys that signed a valid approval of this transfer. */
export function approvedBy(network: string, { to, amount, approval }: Transfer): Set<string> {
  if (!approval) return new Set()
  const { payout, attempt, signatures } = approval
  const text = approvalText({ network, token: tokenKey(amount.token), units: amount.units, to, payout, attempt })
  return new Set(signatures.flatMap((signed) => (text === null ? [] : (signerOf(text, signed) ?? []))))
}

/**
 * The public key that signed this text; null if the signature is invalid. A signature is written `public
 * key.signature`, in hex.
 */
export function signerOf(text: string, signed: string): string | null {
  const [key = '', signature = '', ...more] = signed.split('.')
  const publicKey = readPublicKey(key)
  if (!publicKey || more.length > 0) return null
  try {
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex')) ? key : null
  } catch {
    return null
  }
}

export function signApproval(text: string, privateKey: KeyObject): string {
  return `${publicKeyOf(privateKey)}.${sign(null, Buffer.from(text), privateKey).toString('hex')}`
}

/** The public key as a policy file lists it: 32 bytes in hex. */
export function publicKeyOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return der.subarray(PUBLIC_PREFIX.length).toString('hex')
}

/** Null if the text is not an Ed25519 public key, or is not in the canonical form (lower-case hex). */
export function readPublicKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, 'hex')
  if (bytes.length !== 32 || bytes.toString('hex') !== text) return null
  return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, bytes]), format: 'der', type: 'spki' })
}

export function readApproverKey(pem: string, passphrase: string | undefined): KeyObject {
  try {
    const key = createPrivateKey({ key: pem, format: 'pem', ...(passphrase === undefined ? {} : { passphrase }) })
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The parser's error is not passed on: it may quote the file's content.
  }
  throw new ConfigError('the file is not an ed25519 private key that this password opens')
}
