/**
 * A person's approval of one payout: a text that names network, token, amount, recipient and payout, signed with an Ed25519
 * key that the service does not hold. Good for exactly this payment, in one slot.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { type Transfer, tokenKey } from '@causeway/core'
import { ConfigError } from '../../config.ts'

interface ApprovalSubject {
  network: string
  /** The contract, or `native`. */
  token: string
  units: bigint
  to: string
  payout: string
  attempt: number
}

/** What stands before the 32 bytes of an Ed25519 key in its DER form. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
/** Nothing that could end a line, or look like nothing. */
const WORD = /^[\x21-\x7e]+$/

/** One text a payment: what is signed. Null where a value could be taken for something else. */
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

/** Which keys have signed for this transfer, each once. */
export function approvedBy(network: string, { to, amount, approval }: Transfer): Set<string> {
  if (!approval) return new Set()
  const { payout, attempt, signatures } = approval
  const text = approvalText({ network, token: tokenKey(amount.token), units: amount.units, to, payout, attempt })
  return new Set(signatures.flatMap((signed) => (text === null ? [] : (signerOf(text, signed) ?? []))))
}

/** The public key that signed this text; null where nobody did. A signature is written `public key.signature`, in hex. */
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

/** As policies list it: 32 bytes in hex. */
export function publicKeyOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return der.subarray(PUBLIC_PREFIX.length).toString('hex')
}

/** Null where the text is no such key, or is written in another way than it would be here. */
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
    // What is wrong with it must not get into a message.
  }
  throw new ConfigError('the file is not an ed25519 private key that this password opens')
}
