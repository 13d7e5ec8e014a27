/**
 * Books sweeps: exactly what their own transactions moved out of each address, as the family reads it from the receipt
 * or the signed bytes. No balance is read.
 */
import { Bug, reversed, type SignedTransfer, type SweptAmount, swept } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { releaseSources, sweptParts } from '../../store/deposits/sweeps.ts'
import { markGone } from '../../store/ledger/mark-gone.ts'
import { closeWithoutSwap } from '../../store/payouts/payouts.ts'
import { readRecorded } from '../../store/restore/recorded-payouts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/** The amounts that a mined transaction swept; null if the payout is no sweep. Asks a node, so it runs before the booking. */
export async function readSwept(
  { database, catalogue, chains }: Services,
  { id, kind, network, token }: PayoutRow,
  sweep: SignedTransfer,
): Promise<SweptAmount[] | null> {
  const isReplayed = kind === 'recorded' && (await readRecorded(database, id))?.kind === 'sweep'
  if (kind !== 'sweep' && !isReplayed) return null
  const chain = chainOf(chains, network)
  if (!chain.sweptBy) throw new Bug('this network has no deposit addresses', { network })
  return chain.sweptBy(sweep, catalogue.token(network, token))
}

export async function closeSweep(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (await closeWithoutSwap(queries, payout.id, 'confirmed', services.now()))
    await bookSweep(services, queries, payout, 'made')
}

/**
 * Books the stored amounts, or back after a reorg. Then each address has as many unswept deposits as cover what the
 * ledger still has there: an address that could not be emptied waits for the next sweep, and so does a deposit that
 * came too late or that a reorg took.
 */
export async function bookSweep(
  { catalogue }: Services,
  queries: Queries,
  { id, network, to_address: to, block_number: block }: PayoutRow,
  as: 'made' | 'undone',
): Promise<void> {
  const parts = await sweptParts(queries, id)
  if (as === 'made') await releaseSources(queries, id)
  for (const { address, token: key, units } of parts) {
    const token = catalogue.token(network, key)
    const posting = swept(address, to, token, units)
    await insertPosting(queries, as === 'made' ? posting : reversed(posting, 'sweep undone'), null, block)
    if (as === 'made') await markGone(queries, token, address, block, { swept_by: id })
  }
}

/** Abandons a sweep: its coins stay where they are. */
export async function abandonSweep(services: Services, payoutId: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    if (await closeWithoutSwap(queries, payoutId, 'abandoned', services.now())) await releaseSources(queries, payoutId)
  })
}
