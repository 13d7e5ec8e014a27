/** Completes a confirmed payout: updates its swap or campaign, the ledger, and the addresses of a sweep. */
import { boundedMap } from '@causeway/chain-kit'
import { type Address, type BlockRef, RetryLater, swept } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { Database, Queries } from '../../store/db/database.ts'
import { hasReverifyingSource } from '../../store/deposits/observations.ts'
import {
  addSources,
  goneAlong,
  laterDeposits,
  recordSwept,
  releaseBehind,
  releaseSources,
  sweptSources,
} from '../../store/deposits/sweeps.ts'
import { heldAt } from '../../store/ledger/balances.ts'
import { closeWithoutSwap } from '../../store/payouts/payouts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { closeReward } from '../kinds/disburse.ts'
import { completeCall, isCall } from '../kinds/relay.ts'
import { closeWithdrawal } from '../kinds/withdrawal.ts'
import { applyWithin } from '../swap/advance.ts'
import { closeRecorded, recordedFor } from '../swap/match-recorded.ts'
import { closeReturn } from '../swap/resolve-unmatched.ts'

/** The remaining balance of each swept address, and the block of that balance. */
export type Left = ReadonlyMap<Address, { block: BlockRef | null; units: bigint }>

const NOT_LOOKED: Left = new Map()

/** How far the scan has read, and the first block that a reorg replaced. */
export interface Scanned {
  to: bigint
  shakenFrom: bigint | null
}

interface Looked {
  block: BlockRef | null
  left: Left
}

/** Balances that wait for the scan, per payout. Each process has its own cache. */
const waiting = new WeakMap<Database, Map<string, Looked>>()
/** Maximum size of that cache. Entries of sweeps that another process completed are dropped. */
const MOST_WAITING = 1_000

/**
 * Reads the balances of a sweep's addresses before the transaction that books them, so that no transaction waits for a
 * node. Empty if the payout is no sweep. Null while the scan is behind the balance's block: an unread deposit would
 * make the sweep look smaller. The balance is kept meanwhile, so that further deposits cannot delay the sweep. Null
 * also while a reorg may have removed a deposit: the sweep would look larger.
 */
export async function lookAtSources(
  services: Services,
  payout: PayoutRow,
  scanned: Scanned | null,
): Promise<Left | null> {
  if (payout.kind !== 'sweep') return NOT_LOOKED
  if (await hasReverifyingSource(services.database, payout)) return null
  const kept = waiting.get(services.database) ?? boundedMap<string, Looked>(MOST_WAITING)
  waiting.set(services.database, kept)
  const known = kept.get(payout.id)
  const isShaken = known?.block && scanned?.shakenFrom != null && scanned.shakenFrom <= known.block.number
  const look = known && !isShaken ? known : await lookNow(services, payout)
  kept.delete(payout.id)
  if (!scanned || !look.block || look.block.number <= scanned.to) return look.left
  kept.set(payout.id, look)
  return null
}

async function lookNow(services: Services, { id, network, token }: PayoutRow): Promise<Looked> {
  const listed = services.catalogue.token(network, token)
  const sources = await sweptSources(services.database, id)
  const wanted = sources.map(({ address }) => ({ owner: address, token: listed }))
  const { block, units } = await chainOf(services.chains, network).balances(wanted)
  return { block, left: new Map(sources.map(({ address }, at) => [address, { block, units: units[at] ?? 0n }])) }
}

/** Runs in the caller's transaction, which has locked the swap. */
export async function closePayout(
  services: Services,
  queries: Queries,
  payout: PayoutRow,
  left: Left = NOT_LOOKED,
): Promise<void> {
  if (isCall(payout)) return completeCall(services, queries, payout)
  if (payout.kind === 'recorded') return closeRecorded(services, queries, payout)
  if (payout.swap_id) {
    const { kind, number, deposit_id: depositId, account: from, received_units: receivedUnits } = payout
    // After a restore the journal may have what the proceeds of a sale paid for.
    const recorded = kind === 'sale' ? await recordedFor(services, queries, payout.swap_id, null) : []
    await applyWithin(services, queries, payout.swap_id, {
      type: 'payout_confirmed',
      kind,
      depositId,
      number,
      from,
      ...(receivedUnits !== null && { receivedUnits }),
      ...(recorded.length > 0 && { recorded }),
    })
    return
  }
  if (payout.kind === 'return') await closeReturn(services, queries, payout)
  else if (payout.kind === 'reward') await closeReward(services, queries, payout)
  else if (payout.kind === 'withdrawal') await closeWithdrawal(services, queries, payout)
  else await closeSweptAddresses(services, queries, payout, left)
}

/**
 * Books the amount that left each address: the expected balance less the real one. A sweep takes the whole balance,
 * including deposits that came after it was ordered. An address that could not be swept keeps its balance and waits for
 * the next sweep.
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
    const moved = (await heldAt(queries, address, token, block?.number ?? null)) - left
    if (moved <= 0n) {
      await releaseSources(queries, payout.id, address)
      continue
    }
    // A deposit that a reorg moved to a block after the sweep counts as a later one.
    await releaseBehind(queries, payout, address)
    const later = await laterDeposits(queries, token, address, block?.number ?? null)
    await addSources(queries, payout.id, goneAlong(later, left))
    await insertPosting(queries, swept(address, payout.to_address, token, moved), null, payout.block_number)
    await recordSwept(queries, payout.id, address, moved)
  }
  await closeWithoutSwap(queries, payout.id, 'confirmed', services.now())
}

/** Abandons a sweep: its coins stay where they are. */
export async function abandonSweep(services: Services, payoutId: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    if (await closeWithoutSwap(queries, payoutId, 'abandoned', services.now())) await releaseSources(queries, payoutId)
  })
}
