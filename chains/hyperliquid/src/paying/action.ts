/**
 * The one action that moves money here: `sendAsset`, signed as EIP-712 typed data. Its row in the ledger names the nonce and
 * everything else that was signed but the chain id of the signature, so the digest can be made again from the row.
 */
import type { Address, TxHash } from '@causeway/core'
import { concat, type Hex, hashTypedData, keccak256, toHex, zeroAddress } from 'viem'
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
  /** Without trailing zeros. */
  amount: string
  fromSubAccount: ''
  nonce: number
}

export interface Words {
  chain: HyperliquidChain
  to: Address
  sourceDex: string
  destinationDex: string
  /** Name and id. */
  token: string
  amount: string
  nonce: number
  /** Counts the writings of one payment: the ledger forgets which of them it was. */
  variant: number
}

/** Any chain id is taken; the network's own libraries sign for this one. */
const SIGNATURE_CHAIN_ID = 0x66eee
/** A payment is written anew so often at most. */
export const MOST_VARIANT = 63
/** What a cancellation moves from one balance of ours to the other: the least that both can hold. */
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
  const { type: _, signatureChainId, ...message } = action
  return hashTypedData({
    domain: {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: Number(signatureChainId),
      verifyingContract: zeroAddress,
    },
    types: { 'HyperliquidTransaction:SendAsset': FIELDS },
    primaryType: 'HyperliquidTransaction:SendAsset',
    message: { ...message, nonce: BigInt(action.nonce) },
  })
}

/** Our own name for what was signed: the network's depends on the block, and is not known before. */
export function hashOf(digests: readonly Hex[]): TxHash {
  const [only] = digests
  return only !== undefined && digests.length === 1 ? only : keccak256(concat([...digests]))
}

export function variantOf({ signatureChainId }: SendAsset): number {
  return Number(signatureChainId) - SIGNATURE_CHAIN_ID
}
