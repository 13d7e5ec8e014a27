/**
 * The change of a row in the spot balance of an account, token by token, fees included; and whether the account itself
 * caused it.
 */
import type { Address, Amount, ChainLog } from '@causeway/core'
import { unitsIn } from '../node/amounts.ts'
import { arrivalOf, type Listing, tokenNamed } from './credits.ts'
import { PERP, type Row, SPOT, type TransferRow } from './ledger-row.ts'

/** Actions of an account other than transfers, and how they change its spot balance. */
const OWN_ACTIONS: Readonly<
  Record<string, (delta: Row['delta']) => { amount: unknown; token: unknown; sign: bigint } | null>
> = {
  accountClassTransfer: ({ usdc, toPerp }) => ({ amount: usdc, token: 'USDC', sign: toPerp === true ? -1n : 1n }),
  cStakingTransfer: ({ amount, token, isDeposit }) => ({ amount, token, sign: isDeposit === true ? -1n : 1n }),
  deployGasAuction: ({ amount, token }) => ({ amount, token, sign: -1n }),
  activateDexAbstraction: ({ amount, token }) => ({ amount, token, sign: -1n }),
  borrowLend: ({ amount, token, operation }) => ({
    ...{ amount, token },
    sign: operation === 'supply' || operation === 'repay' ? -1n : 1n,
  }),
  rewardsClaim: ({ amount, token }) => ({ amount, token, sign: 1n }),
  withdraw: () => null,
  vaultCreate: () => null,
  vaultDeposit: () => null,
  vaultWithdraw: () => null,
}

/** Changes without an action of the account. Those of the perpetuals balance are not counted. */
const COMES: Readonly<Record<string, 'spot' | 'perp'>> = {
  spotGenesis: 'spot',
  deposit: 'perp',
  liquidation: 'perp',
  vaultDistribution: 'perp',
  vaultLeaderCommission: 'perp',
}

export interface Change {
  changes: Amount[]
  /** Whether the account itself caused the row. */
  isOwn: boolean
}

export function changeOf(listing: Listing, row: Row, account: Address, log: ChainLog): Change {
  const { transfer, type, delta } = row
  if (transfer) return { changes: ofTransfer(listing, transfer, account), isOwn: transfer.user === account }
  const own = OWN_ACTIONS[type]
  if (own) {
    const told = own(delta)
    return {
      changes: told ? amountsOf(listing, told.token, told.amount, told.sign) : [],
      isOwn: type !== 'rewardsClaim',
    }
  }
  const comes = COMES[type]
  if (comes === 'spot') return { changes: amountsOf(listing, delta.token, delta.amount, 1n), isOwn: false }
  // Its effect shows in the reconciliation with the balance.
  if (!comes) log.error({ network: listing.network.name, hash: row.hash, type }, 'a row of a ledger cannot be read')
  return { changes: [], isOwn: false }
}

/** All fees of the sender, in the token that they are charged in. */
export function feesIn(listing: Listing, { fee, nativeTokenFee, feeToken }: TransferRow): Amount[] {
  return [...amountsOf(listing, feeToken, fee, 1n), ...amountsOf(listing, feeToken, nativeTokenFee, 1n)]
}

function ofTransfer(listing: Listing, transfer: TransferRow, account: Address): Amount[] {
  const { user, destination, sourceDex, destinationDex, token, amount } = transfer
  const changes: Amount[] = []
  if (destination === account && destinationDex === SPOT) changes.push(...amountsOf(listing, token, amount, 1n))
  if (user !== account || sourceDex !== SPOT) return changes
  changes.push(...amountsOf(listing, token, amount, -1n))
  for (const paid of feesIn(listing, transfer)) changes.push({ token: paid.token, units: -paid.units })
  return changes
}

function amountsOf(listing: Listing, name: unknown, amount: unknown, sign: bigint): Amount[] {
  const token = tokenNamed(listing, name)
  const units = token && unitsIn(amount, token.decimals)
  return token && units ? [{ token, units: sign * units }] : []
}

/** Like `changesIn`, for a deposit address, whose perpetuals balance counts as well. */
export function changesOnAddress(listing: Listing, row: Row, address: Address, log: ChainLog): Amount[] {
  return [...changeOf(listing, row, address, log).changes, ...perpChanges(listing, row, address)]
}

/** Changes of the perpetuals balance: credits, and debits by our own sweeps. */
function perpChanges(listing: Listing, row: Row, address: Address): Amount[] {
  const arrival = arrivalOf(listing, row, address)
  if (arrival?.dex === PERP) return [{ token: arrival.token, units: arrival.units }]
  const { transfer } = row
  if (transfer?.user !== address || transfer.sourceDex !== PERP) return []
  const left = arrivalOf(listing, row, transfer.destination)
  const fees = feesIn(listing, transfer).map(({ token, units }) => ({ token, units: -units }))
  return left ? [{ token: left.token, units: -left.units }, ...fees] : fees
}
