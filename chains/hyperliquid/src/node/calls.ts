/** The requests of this family to a gateway, each with a decoder that keeps only what we use. */
import { asArray, asObject, asString, asUint } from '@causeway/chain-kit'
import { type Address, parseNoisyDecimal } from '@causeway/core'
import { wireAddress } from '../address.ts'
import { PERP_DECIMALS, USDC_DECIMALS } from '../settings.ts'
import type { Call } from './node.ts'

/** The network's own time in milliseconds. */
export function networkTime(): Call<number> {
  return { body: { type: 'exchangeStatus' }, read: (answer) => asUint(asObject(answer).time) }
}

export interface TokenFact {
  name: string
  index: number
  decimals: number
  /** The id in lower case. */
  id: string
}

export function tokenFacts(): Call<TokenFact[]> {
  return {
    body: { type: 'spotMeta' },
    read: (answer) =>
      asArray(asObject(answer).tokens).map((entry) => {
        const { name, index, weiDecimals, tokenId } = asObject(entry)
        const id = asString(tokenId).toLowerCase()
        return { name: asString(name), index: asUint(index), decimals: asUint(weiDecimals), id }
      }),
  }
}

/** The spendable balance of each token by its index, as the gateway writes it: the total less what is on hold. */
export type SpotState = ReadonlyMap<number, { total: string; hold: string }>

export function spotState(owner: Address): Call<SpotState> {
  return {
    body: { type: 'spotClearinghouseState', user: wireAddress(owner) },
    read(answer) {
      const balances = asArray(asObject(answer).balances).map(asObject)
      // An entry without a token index is a market outcome, not a token.
      const tokens = balances.filter(({ token }) => token !== undefined)
      return new Map(
        tokens.map(({ token, total, hold }) => [asUint(token), { total: asString(total), hold: asString(hold) }]),
      )
    },
  }
}

/** The withdrawable part of the perpetuals balance, in units of six decimals. */
export function perpUnits(owner: Address): Call<bigint> {
  return {
    body: { type: 'clearinghouseState', user: wireAddress(owner) },
    read: (answer) => decimalIn(asObject(answer).withdrawable, PERP_DECIMALS),
  }
}

export interface LedgerEntry {
  time: number
  /** The hash that explorers show; zeros if no user action made the row. */
  hash: string
  delta: Readonly<Record<string, unknown>> & { type: string }
}

/** A page of ledger rows, oldest first, at most 500; both times are included. */
export function ledgerPage(user: Address, startTime: number, endTime: number | null): Call<LedgerEntry[]> {
  const until = endTime === null ? {} : { endTime }
  return {
    body: { type: 'userNonFundingLedgerUpdates', user: wireAddress(user), startTime, ...until },
    read: (answer) =>
      asArray(answer).map((entry) => {
        const { time, hash, delta } = asObject(entry)
        return { time: asUint(time), ...(contentIn(hash, delta) ?? { hash: NO_HASH, delta: { type: UNREADABLE } }) }
      }),
  }
}

/** Type of an unreadable row. It does not prevent reading the others, but then they prove nothing. */
export const UNREADABLE = 'unreadable'
/** The hash of a row that no user action made. */
export const NO_HASH = `0x${'0'.repeat(64)}`

function contentIn(hash: unknown, delta: unknown): Pick<LedgerEntry, 'hash' | 'delta'> | null {
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) return null
  if (typeof delta !== 'object' || delta === null || !('type' in delta) || typeof delta.type !== 'string') return null
  return { hash: hash.toLowerCase(), delta: { ...delta, type: delta.type } }
}

export interface TransferCheck {
  /** The fee in units of USDC. */
  feeUnits: bigint
  isSanctioned: boolean
  userExists: boolean
}

export function transferCheck(recipient: Address, source: Address): Call<TransferCheck> {
  return {
    body: { type: 'preTransferCheck', user: wireAddress(recipient), source: wireAddress(source) },
    read(answer) {
      const { fee, isSanctioned, userExists } = asObject(answer)
      if (typeof isSanctioned !== 'boolean' || typeof userExists !== 'boolean') throw new Error('no verdict')
      return { feeUnits: decimalIn(fee, USDC_DECIMALS), isSanctioned, userExists }
    },
  }
}

export function userRole(user: Address): Call<string> {
  return {
    body: { type: 'userRole', user: wireAddress(user) },
    read: (answer) => asString(asObject(answer).role),
  }
}

export function accountMode(user: Address): Call<string> {
  return { body: { type: 'userAbstraction', user: wireAddress(user) }, read: asString }
}

export function agentsOf(user: Address): Call<string[]> {
  return {
    body: { type: 'extraAgents', user: wireAddress(user) },
    read: (answer) => asArray(answer).map((agent) => asString(asObject(agent).address)),
  }
}

/** How many actions the account may still make before it is rate-limited. */
export function actionsLeft(user: Address): Call<number> {
  return {
    body: { type: 'userRateLimit', user: wireAddress(user) },
    read(answer) {
      const { nRequestsUsed, nRequestsCap, nRequestsSurplus = 0 } = asObject(answer)
      return asUint(nRequestsCap) + asUint(nRequestsSurplus) - asUint(nRequestsUsed)
    },
  }
}

function decimalIn(value: unknown, decimals: number): bigint {
  const units = parseNoisyDecimal(asString(value), decimals)
  if (units !== null) return units
  throw new Error(`${String(value)} is no amount`)
}
