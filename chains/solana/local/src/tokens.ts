/** Mints and token accounts of a local chain: created from nothing, and reported as a node does with a transaction. */
import {
  type Address,
  type EncodedAccount,
  lamports,
  none,
  type ReadonlyUint8Array,
  address as toAddress,
} from '@solana/kit'
import { AccountState, getMintDecoder, getMintEncoder, getTokenDecoder, getTokenEncoder } from '@solana-program/token'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { isTokenProgram } from '../../src/tokens.ts'
import type { Engine } from './engine.ts'

export interface TokenHolding {
  accountIndex: number
  mint: Address
  owner: Address
  programId: Address
  uiTokenAmount: { amount: string; decimals: number; uiAmount: number | null; uiAmountString: string }
}

const TOKEN_BYTES = 165
const MINT_BYTES = 82
/** In accounts with extensions this byte is the account type. */
const KIND_AT = 165
const KIND_ACCOUNT = 2

export function tokenHoldings(engine: Engine, accounts: readonly Address[]): TokenHolding[] {
  return accounts.flatMap((address, accountIndex) => {
    const account = engine.account(address)
    return account && isTokenAccount(account) ? [holdingOf(engine, account, accountIndex)] : []
  })
}

export function isTokenAccount({ programAddress, data }: EncodedAccount): boolean {
  const isAccount = data.length === TOKEN_BYTES || data[KIND_AT] === KIND_ACCOUNT
  return isTokenProgram(programAddress) && isAccount
}

export function holdingOf(
  engine: Engine,
  { data, programAddress }: EncodedAccount,
  accountIndex: number,
): TokenHolding {
  const { mint, owner, amount } = getTokenDecoder().decode(data)
  const { decimals } = getMintDecoder().decode(engine.account(mint)?.data ?? new Uint8Array(MINT_BYTES))
  return { accountIndex, mint, owner, programId: programAddress, uiTokenAmount: uiAmount(amount, decimals) }
}

function uiAmount(amount: bigint, decimals: number): TokenHolding['uiTokenAmount'] {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const shown = fraction ? `${whole}.${fraction}` : whole
  return { amount: amount.toString(), decimals, uiAmount: Number(shown), uiAmountString: shown }
}

export function mintAccount(engine: Engine, address: Address, decimals: number): EncodedAccount {
  const data = getMintEncoder().encode({
    ...{ mintAuthority: none(), supply: 0n, decimals, isInitialized: true, freezeAuthority: none() },
  })
  return ownedByToken(engine, address, data)
}

/** Adds `units` to a token account; creates it if missing. */
export function credited(
  engine: Engine,
  holder: { account: Address; owner: Address; mint: Address },
  units: bigint,
): EncodedAccount {
  const { account, owner, mint } = holder
  const held = engine.account(account)
  if (held) {
    const before = getTokenDecoder().decode(held.data)
    return { ...held, data: Uint8Array.from(getTokenEncoder().encode({ ...before, amount: before.amount + units })) }
  }
  const data = getTokenEncoder().encode({
    ...{ mint, owner, amount: units, delegate: none(), state: AccountState.Initialized, isNative: none() },
    ...{ delegatedAmount: 0n, closeAuthority: none() },
  })
  return ownedByToken(engine, account, data)
}

/** Adds `units` to the mint's supply. */
export function supplied(engine: Engine, mint: Address, units: bigint): EncodedAccount | null {
  const held = engine.account(mint)
  if (!held) return null
  const before = getMintDecoder().decode(held.data)
  return { ...held, data: Uint8Array.from(getMintEncoder().encode({ ...before, supply: before.supply + units })) }
}

function ownedByToken(engine: Engine, address: Address, data: ReadonlyUint8Array): EncodedAccount {
  return {
    address,
    executable: false,
    lamports: lamports(engine.rentFor(data.length)),
    programAddress: toAddress(TOKEN_PROGRAM),
    space: BigInt(data.length),
    data: Uint8Array.from(data),
  }
}
