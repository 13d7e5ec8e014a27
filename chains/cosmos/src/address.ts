/**
 * Addresses and denominations. An account is 20 bytes (a key) or 32 (a contract) in bech32 under the network's prefix.
 * A token is named by its denomination, letter by letter, because symbols have no meaning on these chains.
 */
import type { Address, Network, TokenNaming } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bech32 } from '@scure/base'
import type { KeyType } from './settings.ts'

const NATIVE_NAME = 'native'
/** The longest address: a contract's 32 bytes under the longest prefix. */
const MAX_LENGTH = 120
const KEY_BYTES = 20
const ACCOUNT_BYTES = [KEY_BYTES, 32]
/** Prefixes of validators and keys, not of accounts. */
const NO_ACCOUNT = /(valoper|valcons|pub)$/
/** Bitcoin's prefixes: an address with one is no account here. */
const FOREIGN_PREFIXES = ['bc', 'tb', 'bcrt', 'ltc']
/** The prefix of a token whose denomination is a plain word. */
const PLAIN = 'bank:'

/** Module accounts: coins sent there belong to the chain. */
const MODULES = [
  'fee_collector',
  'distribution',
  'gov',
  'bonded_tokens_pool',
  'not_bonded_tokens_pool',
  'mint',
  'transfer',
  'interchainaccounts',
  'tokenfactory',
  'txfees',
  'gamm',
  'feemarket-fee-collector',
]
/**
 * How many channels are checked. Coins in transit to another chain are held by their channel's account, and there are
 * thousands of channels.
 */
const CHANNELS = 4_096
const MODULE_BYTES = new Set([
  ...MODULES.map((name) => hex(sha256(Buffer.from(name)).subarray(0, KEY_BYTES))),
  ...Array.from({ length: CHANNELS }, (_, number) => escrowBytes(`transfer/channel-${number}`)),
])

/** Parses addresses. With a prefix: of that network only. Without: of any chain of the family. */
export function namingFor(prefix: string | null): TokenNaming {
  return {
    nativeAddress: NATIVE_NAME,
    parseAddress: (text) => parseAccount(text, prefix) ?? parseContract(text),
  }
}

export function parseAccount(text: string, prefix: string | null): Address | null {
  const decoded = decode(text)
  if (!decoded || (prefix !== null && decoded.prefix !== prefix)) return null
  return encode(decoded.prefix, decoded.bytes)
}

/** The bytes of an account; null if it is not one. */
export function accountBytes(text: string): Uint8Array | null {
  return decode(text)?.bytes ?? null
}

export function encode(prefix: string, bytes: Uint8Array): Address {
  return bech32.encode(prefix, bech32.toWords(bytes), MAX_LENGTH)
}

export function addressOf(publicKey: Uint8Array, prefix: string, key: KeyType): Address {
  const bytes =
    key === 'secp256k1'
      ? ripemd160(sha256(publicKey))
      : keccak_256(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1)).subarray(-KEY_BYTES)
  return encode(prefix, bytes)
}

/** Whether the address has the length of a key's: only then may a refund reach a person. */
export function isPerson(address: Address): boolean {
  const bytes = accountBytes(address)
  return bytes?.length === KEY_BYTES && !MODULE_BYTES.has(hex(bytes))
}

export function isUnpayable(address: Address): boolean {
  const bytes = accountBytes(address)
  return bytes === null || MODULE_BYTES.has(hex(bytes)) || bytes.every((byte) => byte === 0)
}

/** The bank's denomination of one of our tokens. */
export function denomOf({ contract }: { contract: string | null }, native: string): string {
  if (contract === null) return native
  return contract.startsWith(PLAIN) ? contract.slice(PLAIN.length) : contract
}

/** Listed tokens by denomination. */
export function tokensByDenom(network: Network, native: string): Map<string, Network['nativeToken']> {
  return new Map(network.tokens.map((token) => [denomOf(token, native), token]))
}

const DENOM = /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/

export function isDenom(text: string): boolean {
  return DENOM.test(text)
}

/** Parses a denomination in a form that no address and no plain word has. */
function parseContract(text: string): string | null {
  if (!isDenom(text)) return null
  if (text.startsWith('ibc/')) return /^ibc\/[0-9A-F]{64}$/.test(text) ? text : null
  if (text.startsWith(PLAIN)) return isDenom(text.slice(PLAIN.length)) ? text : null
  if (/^factory\/[^/]+\/.+$/.test(text) || /^erc20[:/].+$/.test(text)) return text
  return /^peggy0x[0-9a-fA-F]{40}$/.test(text) ? text : null
}

function decode(text: string): { prefix: string; bytes: Uint8Array } | null {
  if (text.length > MAX_LENGTH || !/^[!-~]+$/.test(text)) return null
  try {
    // Throws if the checksum is wrong, if cases are mixed, and if bits are left over.
    const { prefix, words } = bech32.decode(text as `${string}1${string}`, MAX_LENGTH)
    const bytes = bech32.fromWords(words)
    const isAccount = ACCOUNT_BYTES.includes(bytes.length) && /^[a-z][a-z0-9-]*$/.test(prefix)
    return isAccount && !NO_ACCOUNT.test(prefix) && !FOREIGN_PREFIXES.includes(prefix) ? { prefix, bytes } : null
  } catch {
    return null
  }
}

function escrowBytes(channel: string): string {
  return hex(sha256(Buffer.from(`ics20-1\0${channel}`)).subarray(0, KEY_BYTES))
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
