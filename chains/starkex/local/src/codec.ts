/** Rebuilds the message that the signature of a request must cover, as the StarkEx exchange does. Used only by the simulated exchange. */
import { encodePacked, type Hex, keccak256, recoverMessageAddress } from 'viem'
import { ORDER, pedersenHash } from './curve.ts'

/** A transfer request. All numbers are text, because some exceed JavaScript's safe integers. */
export interface Request {
  amount: string
  asset_id: string
  expiration_timestamp: string
  nonce: string
  receiver_stark_key: string
  receiver_vault_id: string
  sender_vault_id: string
  stark_signature: { r: string; s: string }
}

const FIELDS = [
  ['sender_vault_id', 31],
  ['receiver_vault_id', 31],
  ['amount', 63],
  [null, 63],
  ['nonce', 31],
  ['expiration_timestamp', 22],
] as const

/** The hash of a transfer. The message type comes first: one, a transfer without a fee. */
export function transferHash(request: Omit<Request, 'stark_signature'>): bigint {
  let packed = '1'
  for (const [field, bits] of FIELDS) {
    const value = field === null ? '0' : request[field]
    if (!/^(0|[1-9]\d*)$/.test(value)) throw new RangeError(`not a number: ${field}`)
    const digits = BigInt(value).toString(2)
    if (digits.length > bits) throw new RangeError(`too large: ${field}`)
    packed += digits.padStart(bits, '0')
  }
  return pedersenHash(pedersenHash(BigInt(request.asset_id), BigInt(request.receiver_stark_key)), BigInt(`0b${packed}`))
}

export function linkedHash(address: string, starkKey: string): bigint {
  const packed = encodePacked(['string', 'address', 'uint256'], ['UserRegistration:', address as Hex, BigInt(starkKey)])
  return BigInt(keccak256(packed)) % ORDER
}

export function wordsFor(hash: bigint): string {
  return [
    'Only sign this request if you’ve initiated an action with Immutable X.',
    '',
    'For internal use:',
    hash.toString(16),
  ].join('\n')
}

export const LINK_WORDS = 'Only sign this key linking request from Immutable X'

export function signerOf(message: string, signature: unknown): Promise<string | null> {
  return recoverMessageAddress({ message, signature: String(signature) as Hex }).catch(() => null)
}

/** The asset's id: selector, token and quantum, hashed; the low 250 bits. */
export function assetOf(contract: string | null, quantum: bigint): string {
  const word = quantum.toString(16).padStart(64, '0')
  const kind =
    contract === null
      ? keccak256(encodePacked(['string'], ['ETH()'])).slice(0, 10)
      : `${keccak256(encodePacked(['string'], ['ERC20Token(address)'])).slice(0, 10)}${contract.slice(2).toLowerCase().padStart(64, '0')}`
  return `0x${(BigInt(keccak256(`${kind}${word}` as Hex)) % 2n ** 250n).toString(16)}`
}
