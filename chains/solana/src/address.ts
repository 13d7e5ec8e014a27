/**
 * Addresses of this family: base58 of exactly 32 bytes. The form has no checksum, so a typo may be another valid
 * address. Without a node we can only tell whether an address has no key.
 */
import type { Address, TokenNaming } from '@causeway/core'
import { isAddress } from '@solana/kit'
import { SUPPORTED_MEMO_PROGRAM_ADDRESSES } from '@solana-program/memo'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'

/** The native token is named by the system program's address, as wallets and exchanges do. */
export const naming: TokenNaming = { nativeAddress: SYSTEM_PROGRAM_ADDRESS, parseAddress }

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

/** Parses an address. 32 bytes have exactly one base58 text, so a valid address is canonical. */
export function parseAddress(text: string): Address | null {
  return isAddress(text) ? text : null
}

const PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM_ADDRESS,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  ...SUPPORTED_MEMO_PROGRAM_ADDRESSES,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'So11111111111111111111111111111111111111112',
  '1nc1nerator11111111111111111111111111111111',
])
/** Sysvar addresses match this; no key exists for an address that ends in this many ones. */
const SYSVAR = /^Sysvar.*1{5}$/

/** Whether the address is a program, a sysvar or the incinerator: money sent there is lost. */
export function isKeyless(address: Address): boolean {
  return PROGRAMS.has(address) || SYSVAR.test(address)
}
