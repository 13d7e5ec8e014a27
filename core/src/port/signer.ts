/** The signer that a family gets. Families never see a private key. */
import type { Order, PreparedTransfer, Slot } from './paying.ts'

export interface Signer {
  publicKey(key: KeyRef): Promise<Uint8Array>
  /** `intent` says what the digest is for, so that a remote signer can check it against its policy. */
  sign(key: KeyRef, digest: Uint8Array, intent: SigningIntent): Promise<Uint8Array>
  /** Throws if the signer would refuse this order; called before the order gets a slot. Absent if the signer has no policy. */
  review?(network: string, order: Order): Promise<void>
  /** The exchanges that the signer's policy allows. Absent if the signer has no policy. */
  exchangeScope?(): Promise<ExchangeScope>
}

/** By network: the routers that may be called, and the keys of the tokens that may be sold and bought. */
export type ExchangeScope = Readonly<Record<string, { routers: readonly string[]; tokens: readonly string[] }>>

export interface KeyRef {
  curve: 'secp256k1' | 'ed25519' | 'stark'
  path: string
}

/**
 * The purpose of a digest: a transfer, a quote that a client can hold us to, or a request to a node that only answers
 * known accounts.
 */
export type SigningIntent = TransferIntent | { quote: string } | { read: string }

export interface TransferIntent {
  network: string
  order: Order
  slot: Slot
  /**
   * With the draft, a signer that includes the family's code computes the digest itself and need not trust the service.
   */
  draft?: PreparedTransfer
}
