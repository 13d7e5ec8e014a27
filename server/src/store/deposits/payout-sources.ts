/** The deposits that fund a payout: their senders, who are screened, and whether the deposits are still on chain. */
import type { DepositInDoubt } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

interface Sender {
  network: string
  address: string
}

/** What one deposit brought, and who sent it. */
export interface Share {
  network: string
  token: string
  units: bigint
  senders: string[]
}

export interface Source {
  senders: Sender[]
  shares: Share[]
  /** Deposits whose block was replaced and that were not verified since, and those that are proven to be gone. */
  inDoubt: DepositInDoubt[]
}

/**
 * The funding deposits per payout: for an output the deposits used for it, for a refund or return that one deposit, and
 * for a refund of proceeds all deposits that were sold, except lost ones: their share is not refunded. Other senders to
 * the same swap are not included.
 */
export async function readSources(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, Source>> {
  const swapIds = payouts.flatMap(({ swap_id }) => swap_id ?? [])
  const depositIds = payouts.flatMap(({ deposit_id }) => deposit_id ?? [])
  if (swapIds.length + depositIds.length === 0) return new Map()
  const deposits = await queries
    .selectFrom('deposit')
    .select(['id', 'swap_id', 'network', 'token', 'units', 'tx_hash', 'from_address', 'senders', 'output_units'])
    .select(['state', 'final'])
    .where((eb) =>
      eb.or([
        ...(swapIds.length > 0 ? [eb('swap_id', 'in', swapIds)] : []),
        ...(depositIds.length > 0 ? [eb('id', 'in', depositIds)] : []),
      ]),
    )
    .execute()
  const looks = await queries
    .selectFrom('deposit_look')
    .select(['network', 'tx_hash', 'class'])
    .where('class', 'in', ['reverify', 'unlocatable'])
    .where(sql<boolean>`tx_hash = any(${deposits.map(({ tx_hash }) => tx_hash)}::text[])`)
    .execute()
  return new Map(
    payouts.map(({ id, swap_id, deposit_id, network, token }) => {
      const own = deposits.find((deposit) => deposit.id === deposit_id)
      const isOfProceeds = own !== undefined && (own.network !== network || own.token !== token)
      const used = deposits.filter((deposit) => {
        const isSold = swap_id !== null && deposit.swap_id === swap_id && deposit.output_units > 0n
        if (deposit_id === null) return isSold
        return deposit === own || (isOfProceeds && isSold && deposit.state !== 'lost')
      })
      const shares = used.map(({ network, token, units, from_address, senders }) => ({
        ...{ network, token, units },
        senders: [...new Set(from_address === null ? senders : [from_address, ...senders])],
      }))
      const senders = shares.flatMap(({ network, senders }) => senders.map((address) => ({ network, address })))
      return [id, { senders, shares, inDoubt: used.flatMap((deposit) => doubtOf(deposit, looks)) }]
    }),
  )
}

interface Used {
  id: string
  network: string
  tx_hash: string
  state: string
  final: boolean
}

/**
 * The doubts about a payout's deposits. `looks`: transactions that wait for reverification, or that no node could find.
 */
function doubtOf(
  { id, network, tx_hash: txHash, state, final }: Used,
  looks: readonly { network: string; tx_hash: string; class: string }[],
): DepositInDoubt[] {
  if (state === 'lost') return [{ id, txHash, state: 'lost' }]
  const look = looks.find((one) => one.network === network && one.tx_hash === txHash)
  if (!look || final || !['seen', 'confirmed'].includes(state)) return []
  return [{ id, txHash, state: look.class === 'unlocatable' ? 'unlocatable' : 'reverifying' }]
}
