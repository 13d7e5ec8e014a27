/** Whose money a payout is made of: to be screened before it leaves. */
import type { Queries } from './database.ts'
import type { PayoutRow } from './swaps.ts'

export interface Sender {
  network: string
  address: string
}

/**
 * By payout. Of a delivery those whose deposits were used for it, of money that goes back those of that deposit: whoever else
 * sent something to the same swap has no part in it.
 */
export async function readSenders(
  queries: Queries,
  payouts: readonly PayoutRow[],
): Promise<ReadonlyMap<string, Sender[]>> {
  const swapIds = payouts.flatMap(({ swap_id }) => swap_id ?? [])
  const depositIds = payouts.flatMap(({ deposit_id }) => deposit_id ?? [])
  if (swapIds.length + depositIds.length === 0) return new Map()
  const deposits = await queries
    .selectFrom('deposit')
    .select(['id', 'swap_id', 'network', 'from_address', 'senders', 'output_units'])
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
      return [id, senders]
    }),
  )
}
