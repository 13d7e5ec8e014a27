/** What money a payout is made of: who sent it, to be screened before it leaves, and whether it stands. */
import type { DepositInDoubt } from '@causeway/core'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

interface Sender {
  network: string
  address: string
}

export interface Source {
  senders: Sender[]
  /** Deposits whose block was replaced and that were not read again yet, and those that are proven not to be there any more. */
  inDoubt: DepositInDoubt[]
}

/**
 * By payout. Of a delivery the deposits that were used for it, of money that goes back that deposit: whoever else
 * sent something to the same swap has no part in it.
 */
export async function readSources(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, Source>> {
  const swapIds = payouts.flatMap(({ swap_id }) => swap_id ?? [])
  const depositIds = payouts.flatMap(({ deposit_id }) => deposit_id ?? [])
  if (swapIds.length + depositIds.length === 0) return new Map()
  const deposits = await queries
    .selectFrom('deposit')
    .select(['id', 'swap_id', 'network', 'tx_hash', 'from_address', 'senders', 'output_units'])
    .select(['state', 'final', 'shaken_at', 'shaken_told'])
    .where((eb) =>
      eb.or([
        ...(swapIds.length > 0 ? [eb('swap_id', 'in', swapIds)] : []),
        ...(depositIds.length > 0 ? [eb('id', 'in', depositIds)] : []),
      ]),
    )
    .execute()
  return new Map(
    payouts.map(({ id, swap_id, deposit_id }) => {
      const used = deposits.filter((deposit) =>
        deposit_id === null
          ? swap_id !== null && deposit.swap_id === swap_id && deposit.output_units > 0n
          : deposit.id === deposit_id,
      )
      const senders = used.flatMap(({ network, from_address, senders }) =>
        [...new Set(from_address === null ? senders : [from_address, ...senders])].map((address) => ({
          network,
          address,
        })),
      )
      return [id, { senders, inDoubt: used.flatMap(doubtOf) }]
    }),
  )
}

interface Used {
  id: string
  tx_hash: string
  state: string
  final: boolean
  shaken_at: bigint | null
  shaken_told: boolean
}

function doubtOf({ id, tx_hash: txHash, state, final, shaken_at, shaken_told }: Used): DepositInDoubt[] {
  if (state === 'lost') return [{ id, txHash, state: 'lost' }]
  const isShaken = ['seen', 'confirmed'].includes(state) && !final && shaken_at !== null
  return isShaken ? [{ id, txHash, state: shaken_told ? 'unlocatable' : 'reverifying' }] : []
}
