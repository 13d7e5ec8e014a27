/** The end of a payout: it was made, and counts. What that means for its swap, its campaign, the books and its sources. */
import { type Address, type BlockRef, type PayoutKind, RetryLater, swept } from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { heldAt } from '../store/balances.ts'
import type { Queries } from '../store/database.ts'
import { closeSweep } from '../store/payouts.ts'
import { insertPosting } from '../store/progress.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { addSources, goneAlong, laterDeposits, recordSwept, releaseSources, sweptSources } from '../store/sweeps.ts'
import { applyWithin } from './advance.ts'
import { closeReward } from './disburse.ts'
import { completeCall, isCall } from './relay.ts'
import { closeReturn } from './resolve.ts'
import { isSettled, lookAhead } from './settled.ts'

/** What lies on each address that a sweep empties, and of which block that is told. */
export type Left = ReadonlyMap<Address, { block: BlockRef | null; units: bigint }>

const NOT_LOOKED: Left = new Map()

/**
 * Asked before the commit that books it: no transaction waits for a chain. Nothing where the payout is no sweep; null where
 * something lies there that the scan will only come to, which would look as if less had been taken.
 */
export async function lookAtSources(services: Services, { id, kind, network, token }: PayoutRow): Promise<Left | null> {
  if (kind !== 'sweep') return NOT_LOOKED
  const chain = chainOf(services.chains, network)
  const listed = services.catalogue.token(network, token)
  const sources = await sweptSources(services.database, id)
  const wanted = sources.map(({ address }) => ({ owner: address, token: listed }))
  const { block, units } = await chain.balances(wanted)
  const coming = lookAhead(services, chain, block?.number ?? null)()
  for (const { address } of sources) {
    if (!(await isSettled(services, chain, listed, address, 'too much', () => coming))) return null
  }
  return new Map(sources.map(({ address }, position) => [address, { block, units: units[position] ?? 0n }]))
}

/** In the caller's transaction, which has locked the swap. */
export async function closePayout(
  services: Services,
  queries: Queries,
  payout: PayoutRow,
  left: Left = NOT_LOOKED,
): Promise<void> {
  if (isCall(payout)) return completeCall(services, queries, payout)
  if (payout.swap_id) {
    const { kind, deposit_id: depositId, account: from } = payout
    await applyWithin(services, queries, payout.swap_id, {
      type: 'payout_confirmed',
      kind: kind as PayoutKind,
      depositId,
      from,
    })
    return
  }
  if (payout.kind === 'return') await closeReturn(services, queries, payout)
  else if (payout.kind === 'reward') await closeReward(services, queries, payout)
  else await closeSweptAddresses(services, queries, payout, left)
}

/**
 * Books what left each address: what should lie there by the books and the deposits not booked yet, less what does. A sweep
 * takes all that it finds, also what came after it was ordered; an address that refused still holds everything, and waits
 * for the next one.
 */
async function closeSweptAddresses(
  services: Services,
  queries: Queries,
  payout: PayoutRow,
  looked: Left,
): Promise<void> {
  const token = services.catalogue.token(payout.network, payout.token)
  for (const { address } of await sweptSources(queries, payout.id)) {
    const found = looked.get(address)
    if (!found) throw new RetryLater('an address of the sweep was not looked at')
    const { block, units: left } = found
    if (block && payout.block_number !== null && block.number < payout.block_number)
      throw new RetryLater('the node does not know the block of the sweep')
    const later = await laterDeposits(queries, token, address)
    const moved = (await heldAt(queries, address, token, block?.number ?? null)) - left
    if (moved <= 0n) {
      await releaseSources(queries, payout.id, address)
      continue
    }
    await addSources(queries, payout.id, goneAlong(later, left))
    await insertPosting(queries, swept(address, payout.to_address, token, moved), null, payout.block_number)
    await recordSwept(queries, payout.id, address, moved)
  }
  await closeSweep(queries, payout.id, 'confirmed', services.now())
}

/** Gives up a sweep: its coins lie where they were. */
export async function abandonSweep(services: Services, payoutId: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    await releaseSources(queries, payoutId)
    await closeSweep(queries, payoutId, 'abandoned', services.now())
  })
}
