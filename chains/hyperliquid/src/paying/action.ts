/**
 * The one action that moves money here: `sendAsset`, signed as EIP-712 typed data. Its ledger row contains the nonce
 * and everything else that was signed except the signature's chain id, so the digest can be rebuilt from the row.
 */
import type { Address, TxHash } from '@causeway/core'
import { concat, domainSeparator, type Hex, hashStruct, keccak256, toHex, zeroAddress } from 'viem'
import { wireAddress } from '../address.ts'
import { type HyperliquidChain, PERP_UNIT } from '../settings.ts'

export interface SendAsset {
  type: 'sendAsset'
  signatureChainId: Hex
  hyperliquidChain: HyperliquidChain
  destination: string
  sourceDex: string
  destinationDex: string
  token: string
  /** The amount, without trailing zeros. */
  amount: string
  fromSubAccount: ''
  nonce: number
}

export interface Words {
  chain: HyperliquidChain
  to: Address
  sourceDex: string
  destinationDex: string
  /** The token's name and id. */
  token: string
  amount: string
  nonce: number
  /** Counts the variants of one payment: the ledger does not record which of them it was. */
  variant: number
}

/** Any chain id is accepted; the network's own libraries sign for this one. */
const SIGNATURE_CHAIN_ID = 0x66eee
/** Maximum variants of a payment: one every two minutes while its nonce is valid, which is two days. */
export const MOST_VARIANT = 2_047
/** The amount that a cancellation moves from one of our balances to the other: the smallest that both can hold. */
export const CANCEL_UNITS = PERP_UNIT

const FIELDS = [
  { name: 'hyperliquidChain', type: 'string' },
  { name: 'destination', type: 'string' },
  { name: 'sourceDex', type: 'string' },
  { name: 'destinationDex', type: 'string' },
  { name: 'token', type: 'string' },
  { name: 'amount', type: 'string' },
  { name: 'fromSubAccount', type: 'string' },
  { name: 'nonce', type: 'uint64' },
] as const

export function sendAsset({ chain, to, sourceDex, destinationDex, token, amount, nonce, variant }: Words): SendAsset {
  return {
    type: 'sendAsset',
    signatureChainId: toHex(SIGNATURE_CHAIN_ID + variant),
    hyperliquidChain: chain,
    destination: wireAddress(to),
    sourceDex,
    destinationDex,
    token,
    amount,
    fromSubAccount: '',
    nonce,
  }
}

export function digestOf(action: SendAsset): Hex {
  return digestIn(contentOf(action), variantOf(action))
}

/** The hash of everything except the chain id of the signature. */
export function contentOf({ type: _, signatureChainId: __, ...message }: SendAsset): Hex {
  const data = { ...message, nonce: BigInt(message.nonce) }
  return hashStruct({ data, primaryType: PRIMARY_TYPE, types: { [PRIMARY_TYPE]: FIELDS } })
}

/** The digest to sign for this content in this variant. */
export function digestIn(content: Hex, variant: number): Hex {
  return keccak256(concat(['0x1901', domainOf(variant), content]))
}

const PRIMARY_TYPE = 'HyperliquidTransaction:SendAsset'
const domains = new Map<number, Hex>()

function domainOf(variant: number): Hex {
  const known = domains.get(variant)
  if (known !== undefined) return known
  const chainId = SIGNATURE_CHAIN_ID + variant
  const name = 'HyperliquidSignTransaction'
  const made = domainSeparator({ domain: { name, version: '1', chainId, verifyingContract: zeroAddress } })
  if (variant >= 0 && variant <= MOST_VARIANT) domains.set(variant, made)
  return made
}

/** Our own hash of the signed digests: the network's hash depends on the block and is not known before. */
export function hashOf(digests: readonly Hex[]): TxHash {
  const [only] = digests
  return only !== undefined && digests.length === 1 ? only : keccak256(concat([...digests]))
}

export function variantOf({ signatureChainId }: SendAsset): number {
  return Number(signatureChainId) - SIGNATURE_CHAIN_ID
}
