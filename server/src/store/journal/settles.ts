/**
 * The keys of everything that a payout settles: deposits, rewards and permits. The journal stores them, so that none is
 * paid for twice.
 */
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

/**
 * The settled keys per payout: for an output or a sale the deposits that were used for it, for a refund or return its one
 * deposit.
 */
export async function readSettles(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, string[]>> {
  const [deposits, rewards, permits] = await Promise.all([
    readDeposits(queries, payouts),
    readRewards(queries, idsOf(payouts, 'reward')),
    readPermits(queries, idsOf(payouts, 'relay')),
  ])
  return new Map(
    payouts.map(({ id, swap_id, deposit_id, kind }) => {
      const used = deposits.filter((deposit) => {
        if (deposit_id !== null) return deposit.id === deposit_id
        const usesDeposits = kind === 'output' || kind === 'refuel' || kind === 'sale'
        return usesDeposits && swap_id !== null && deposit.swap_id === swap_id && deposit.output_units > 0n
      })
      const keys = used.flatMap(({ network, tx_hash, index, final_only, to_address }) => [
        `d:${network}/${tx_hash}/${index}`,
        // A key for the whole transaction, because a reorg may change a deposit's index, and a balance that is read
        // again may be of another block.
        `t:${network}/${tx_hash}`,
        ...(final_only ? [`a:${network}/${to_address}`] : []),
      ])
      const own = [...rewards, ...permits].filter((one) => one.payoutId === id).map(({ key }) => key)
      return [id, [...new Set([...keys, ...own])]]
    }),
  )
}

function idsOf(payouts: readonly PayoutRow[], kind: PayoutRow['kind']): string[] {
  return payouts.filter((payout) => payout.kind === kind).map(({ id }) => id)
}

async function readDeposits(queries: Queries, payouts: readonly PayoutRow[]) {
  const swapIds = payouts.flatMap(({ swap_id, deposit_id }) => (deposit_id === null ? (swap_id ?? []) : []))
  const depositIds = payouts.flatMap(({ deposit_id }) => deposit_id ?? [])
  if (swapIds.length + depositIds.length === 0) return []
  return queries
    .selectFrom('deposit')
    .select(['id', 'swap_id', 'network', 'tx_hash', 'index', 'final_only', 'to_address', 'output_units'])
    .where((eb) =>
      eb.or([
        ...(swapIds.length > 0 ? [eb('swap_id', 'in', swapIds)] : []),
        ...(depositIds.length > 0 ? [eb('id', 'in', depositIds)] : []),
      ]),
    )
    .execute()
}

async function readRewards(queries: Queries, ids: readonly string[]): Promise<{ payoutId: string; key: string }[]> {
  if (ids.length === 0) return []
  const rows = await queries
    .selectFrom('reward')
    .select(['payout_id', 'campaign', 'swap_id'])
    .where('payout_id', 'in', ids)
    .execute()
  return rows.map(({ payout_id, campaign, swap_id }) => ({
    payoutId: payout_id ?? '',
    key: `r:${campaign}/${swap_id}`,
  }))
}

async function readPermits(queries: Queries, ids: readonly string[]): Promise<{ payoutId: string; key: string }[]> {
  if (ids.length === 0) return []
  const rows = await queries
    .selectFrom('gasless_authorization')
    .select(['payout_id', 'network', 'token', 'owner', 'nonce'])
    .where('payout_id', 'in', ids)
    .execute()
  return rows.map(({ payout_id, network, token, owner, nonce }) => ({
    payoutId: payout_id ?? '',
    key: `p:${network}/${token}/${owner}/${nonce}`,
  }))
}

/**
 * Payouts of the same swaps and deposits, which may settle the same keys. Abandoned ones are left out: if the journal
 * has an open line of one, the database lost the fact that it was paid.
 */
export async function readSiblings(queries: Queries, payouts: readonly PayoutRow[]): Promise<string[]> {
  const swapIds = payouts.flatMap(({ swap_id }) => swap_id ?? [])
  const depositIds = payouts.flatMap(({ deposit_id }) => deposit_id ?? [])
  if (swapIds.length + depositIds.length === 0) return []
  const rows = await queries
    .selectFrom('payout')
    .select('id')
    .where((eb) =>
      eb.or([
        ...(swapIds.length > 0 ? [eb('swap_id', 'in', swapIds)] : []),
        ...(depositIds.length > 0 ? [eb('deposit_id', 'in', depositIds)] : []),
      ]),
    )
    .where('state', '<>', 'abandoned')
    .execute()
  return rows.map(({ id }) => id)
}

/** Which of these payouts the database has as open or confirmed. */
export async function knownPayouts(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await queries
    .selectFrom('payout')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '<>', 'abandoned')
    .execute()
  return new Set(rows.map(({ id }) => id))
}
