/** The credit of a ledger row to one of our addresses, and whether it may be a deposit. */
import type { Address, Network, Token } from '@causeway/core'
import { unitsIn } from '../node/amounts.ts'
import { type Settings, wireOf } from '../settings.ts'
import { PERP, type Row, SPOT } from './ledger-row.ts'

export interface Arrival {
  row: Row
  token: Token
  units: bigint
  /** Whether it arrived in the spot balance or the perpetuals balance. */
  dex: typeof SPOT | typeof PERP
  /** The sending account; null if the row does not name it. */
  user: Address | null
  /** Why it is not credited automatically. */
  doubt: string | null
}

export interface Listing {
  network: Network
  settings: Settings
}

export function tokenNamed({ network, settings }: Listing, name: unknown): Token | null {
  return network.tokens.find((token) => wireOf(settings, token).name === name) ?? null
}

export function arrivalOf(listing: Listing, row: Row, account: Address): Arrival | null {
  const found = row.transfer ? transferred(listing, row, account) : otherwise(listing, row)
  return found && found.units > 0n ? found : null
}

function transferred(listing: Listing, row: Row, account: Address): Arrival | null {
  const { transfer } = row
  if (!transfer || transfer.destination !== account || transfer.user === account) return null
  const token = tokenNamed(listing, transfer.token)
  const dex = dexOf(transfer.destinationDex)
  if (!token || dex === null || (dex === PERP && token.contract !== null)) return null
  const units = unitsIn(transfer.amount, token.decimals) ?? 0n
  const doubt = row.type === 'subAccountTransfer' ? 'it came from an account that belongs to another one' : null
  return { row, token, units, dex, user: transfer.user, doubt }
}

/** The balance that a row names; null for balances of third-party markets, which are ignored. */
function dexOf(dex: string): Arrival['dex'] | null {
  return dex === SPOT ? SPOT : dex === PERP ? PERP : null
}

function otherwise(listing: Listing, row: Row): Arrival | null {
  const native = listing.network.nativeToken
  const { usdc, token: name, amount } = row.delta
  if (row.type === 'deposit' || row.type === 'vaultDistribution') {
    const doubt = row.type === 'deposit' ? null : 'it came out of a vault'
    return { row, token: native, units: unitsIn(usdc, native.decimals) ?? 0n, dex: PERP, user: null, doubt }
  }
  const token = tokenNamed(listing, name)
  if (!token || (row.type !== 'rewardsClaim' && row.type !== 'spotGenesis')) return null
  const doubt = 'the network gave it: nobody sent it'
  return { row, token, units: unitsIn(amount, token.decimals) ?? 0n, dex: SPOT, user: null, doubt }
}
