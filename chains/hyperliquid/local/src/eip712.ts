/**
 * Typed data as the network decodes it, implemented independently: the signer is recovered from the signature over
 * exactly the posted fields. No code is shared with the adapter.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

export interface Field {
  name: string
  type: 'string' | 'uint64'
}

export interface Signature {
  r: string
  s: string
  v: number
}

const text = (name: string): Field => ({ name, type: 'string' })
const number = (name: string): Field => ({ name, type: 'uint64' })

/** The action types that users sign themselves, with their fields in order. */
export const ACTIONS: Readonly<Record<string, { primaryType: string; fields: readonly Field[]; nonceField: string }>> =
  {
    sendAsset: {
      primaryType: 'HyperliquidTransaction:SendAsset',
      fields: [
        ...['hyperliquidChain', 'destination', 'sourceDex', 'destinationDex', 'token', 'amount', 'fromSubAccount'].map(
          text,
        ),
        number('nonce'),
      ],
      nonceField: 'nonce',
    },
    spotSend: {
      primaryType: 'HyperliquidTransaction:SpotSend',
      fields: [...['hyperliquidChain', 'destination', 'token', 'amount'].map(text), number('time')],
      nonceField: 'time',
    },
    usdSend: {
      primaryType: 'HyperliquidTransaction:UsdSend',
      fields: [...['hyperliquidChain', 'destination', 'amount'].map(text), number('time')],
      nonceField: 'time',
    },
    withdraw3: {
      primaryType: 'HyperliquidTransaction:Withdraw',
      fields: [...['hyperliquidChain', 'destination', 'amount'].map(text), number('time')],
      nonceField: 'time',
    },
  }

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

export function digestOf(action: Readonly<Record<string, unknown>>): Uint8Array {
  const kind = ACTIONS[String(action.type)]
  if (!kind) throw new Error(`not an action that people sign: ${String(action.type)}`)
  const types = kind.fields.map(({ name, type }) => `${type} ${name}`).join(',')
  const values = kind.fields.map(({ name, type }) =>
    type === 'string' ? hashText(String(action[name])) : word(BigInt(Number(action[name]))),
  )
  const struct = keccak_256(concatBytes(hashText(`${kind.primaryType}(${types})`), ...values))
  const domain = keccak_256(
    concatBytes(
      hashText(DOMAIN_TYPE),
      hashText('HyperliquidSignTransaction'),
      hashText('1'),
      word(BigInt(String(action.signatureChainId))),
      word(0n),
    ),
  )
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct))
}

/** The account whose key made the signature, in lower case. Any well-formed signature recovers to some account. */
export function recover(digest: Uint8Array, { r, s, v }: Signature): string {
  const bytes = concatBytes(Uint8Array.of(v - 27), hexToBytes(padded(r)), hexToBytes(padded(s)))
  return addressOf(secp256k1.recoverPublicKey(bytes, digest, { prehash: false }))
}

export function addressOf(publicKey: Uint8Array): string {
  const whole = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return `0x${bytesToHex(keccak_256(whole.slice(1)).slice(12))}`
}

export function signDigest(digest: Uint8Array, secret: Uint8Array): Signature {
  const signature = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  return {
    r: `0x${bytesToHex(signature.slice(1, 33))}`,
    s: `0x${bytesToHex(signature.slice(33))}`,
    v: 27 + (signature[0] ?? 0),
  }
}

function hashText(value: string): Uint8Array {
  return keccak_256(utf8ToBytes(value))
}

function word(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'))
}

function padded(hex: string): string {
  return hex.replace(/^0x/, '').padStart(64, '0')
}
