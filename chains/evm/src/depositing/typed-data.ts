/** EIP-712 texts that move money by a signature: an EIP-3009 authorization and an ERC-2612 permit, for wallets and for hashing. */
import { type Hex, hashTypedData } from 'viem'

export interface Domain {
  name: string
  version: string
  chainId: bigint
  verifyingContract: Hex
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

const AUTHORIZATION_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
]

const PERMIT_FIELDS = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
]

export interface TypedData {
  domain: Domain
  types: Record<string, { name: string; type: string }[]>
  primaryType: string
  message: Record<string, string | bigint>
}

export function authorizationText(
  domain: Domain,
  message: { from: Hex; to: Hex; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex },
): TypedData {
  const types = { EIP712Domain: DOMAIN_FIELDS, ReceiveWithAuthorization: AUTHORIZATION_FIELDS }
  return { domain, types, primaryType: 'ReceiveWithAuthorization', message }
}

export function permitText(
  domain: Domain,
  message: { owner: Hex; spender: Hex; value: bigint; nonce: bigint; deadline: bigint },
): TypedData {
  return { domain, types: { EIP712Domain: DOMAIN_FIELDS, Permit: PERMIT_FIELDS }, primaryType: 'Permit', message }
}

export function digestOf({ domain, types, primaryType, message }: TypedData): Hex {
  return hashTypedData({ domain, types, primaryType, message })
}

/** The typed data as JSON for wallets: numbers are text. */
export function forWallet(text: TypedData): Record<string, unknown> {
  return JSON.parse(JSON.stringify(text, (_, value) => (typeof value === 'bigint' ? value.toString() : value)))
}
