/** What a row brought to one of our addresses, and whether it may be anybody's deposit. */
import type { Address, Network, Token } from '@causeway/core'
import { type Settings, wireOf } from '../settings.ts'
import { PERP, type Row, SPOT, unitsIn } from './ledger-row.ts'

export interface Arrival {
  row: Row
  token: Token
  units: bigint
  /** Whether it came to the spot balance, or to the one for perpetuals. */
  dex: typeof SPOT | typeof PERP
  /** Whose account it left; null where the row does not say. */
  user: Address | null
  /** Why it is nobody's deposit by itself. */
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

/** Balances for the markets of others are none that we look at. */
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
