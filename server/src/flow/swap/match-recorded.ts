/**
 * After a restore: matches *recorded* payouts (those read from the signing journal) with the deposits that they
 * settled. If the database has the swap, the swap takes them over. If not, the deposit is closed as settled. Neither is
 * paid again.
 */
import {
  depositRecorded,
  payoutConfirmed,
  payoutRecorded,
  type RecordedPayout,
  RetryLater,
  reversed,
  rewardPaid,
  rewardPromised,
  saleConfirmed,
  saleRecorded,
  withdrawalPaid,
  withdrawalPromised,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { releaseSources } from '../../store/deposits/sweeps.ts'
import { lockUnmatched, resolveUnmatched } from '../../store/deposits/unmatched.ts'
import {
  confirmRecorded,
  depositsByKeys,
  knownSwaps,
  type RecordedRow,
  readRecorded,
  recordedOfDeposit,
  recordedOfSwap,
  setMet,
  voidPayout,
} from '../../store/restore/recorded-payouts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { type DepositRow, lockSwap, type PayoutRow, toLeg } from '../../store/swaps/swaps.ts'
import { bookSweep } from '../kinds/swept.ts'
import { applyWithin } from './advance.ts'

const OF_SWAPS: readonly string[] = ['output', 'refuel', 'refund', 'return', 'sale']

/**
 * The recorded payouts that this swap takes over now. A recorded refund waits until its deposit is credited.
 * `crediting`: the deposit that is being credited.
 */
export async function recordedFor(
  { catalogue }: Services,
  queries: Queries,
  swapId: string,
  crediting: string | null,
): Promise<RecordedPayout[]> {
  const rows = (await recordedOfSwap(queries, swapId)).filter(({ kind }) => OF_SWAPS.includes(kind))
  const found: RecordedPayout[] = []
  for (const row of rows) {
    const { id, kind, network, token, units, to, state, keys, isAttached, leg, receivedUnits } = row
    const deposits = (await depositsByKeys(queries, keys)).filter(
      (one) => one.swap_id === swapId && (one.state === 'confirmed' || one.id === crediting),
    )
    const depositIds = deposits.map((one) => one.id)
    const isDelivery = kind === 'output' || kind === 'refuel'
    if (state === 'abandoned' || (depositIds.length === 0 && kind !== 'refuel') || (isAttached && !isDelivery)) continue
    const payout = { id, kind: kind as RecordedPayout['kind'], token: catalogue.token(network, token), units, to }
    const exchange = leg && { leg: toLeg(row, leg, catalogue) }
    const received = state === 'confirmed' && receivedUnits !== null && { receivedUnits }
    found.push({ ...payout, state, depositIds, isAttached, ...exchange, ...received })
  }
  // A refuel without its output does not prove that the swap was paid.
  const output = found.find(({ kind }) => kind === 'output')
  const useful = found.filter(
    ({ kind, isAttached }) => kind !== 'refuel' || (output && !output.isAttached && !isAttached),
  )
  const isNews = ({ isAttached, depositIds }: RecordedPayout) =>
    !isAttached || (crediting !== null && depositIds.includes(crediting))
  return useful.some(isNews) ? useful : []
}

/**
 * Called after a replay: the deposits that the recorded payout settled may already be credited, to their swap or as
 * unmatched.
 */
export async function attachRecorded(services: Services, { id }: PayoutRow): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    const row = await readRecorded(queries, id)
    for (const deposit of await depositsByKeys(queries, row?.keys ?? [])) {
      const unmatched = await lockUnmatched(queries, deposit.id)
      if (unmatched) await meetRecorded(services, queries, unmatched)
    }
    const swapId = row?.swapId
    if (!swapId || !(await lockSwap(queries, swapId))) return
    const recorded = await recordedFor(services, queries, swapId, null)
    if (recorded.length > 0) await applyWithin(services, queries, swapId, { type: 'payout_recorded', recorded })
  })
}

/** Whether recorded payouts settled this deposit, for its own swap or for another one; null if none did. */
export async function settledFor(queries: Queries, deposit: DepositRow): Promise<'its swap' | 'another' | null> {
  const rows = await recordedOfDeposit(queries, deposit)
  if (rows.length === 0) return null
  return rows.every(({ swapId }) => swapId === deposit.swap_id) ? 'its swap' : 'another'
}

/** Closes an unmatched deposit that recorded payouts settled, and books both. Called when the deposit is credited. */
export async function meetRecorded(services: Services, queries: Queries, deposit: DepositRow): Promise<void> {
  const rows = await recordedOfDeposit(queries, deposit)
  if (rows.length === 0) return
  const { id: depositId, network, token, units } = deposit
  await resolveUnmatched(queries, depositId, 'recorded', 0n)
  await insertPosting(queries, depositRecorded(services.catalogue.token(network, token), units), null)
  for (const row of rows) {
    if (row.met || row.kind === 'reward') continue
    await insertPosting(queries, promised(services, row), null)
    await setMet(queries, row.id, true)
  }
  const payouts = rows.map(({ id }) => id)
  services.log.warn(
    { network, txHash: deposit.tx_hash, depositId, payouts },
    'a deposit was settled before the restore',
  )
}

/** Reverses `meetRecorded` when a reorg removes the deposit. */
export async function partRecorded({ catalogue }: Services, queries: Queries, deposit: DepositRow): Promise<void> {
  if (deposit.resolution !== 'recorded') return
  const { id, network, token, units } = deposit
  await resolveUnmatched(queries, id, null, 0n)
  const posting = depositRecorded(catalogue.token(network, token), units)
  await insertPosting(queries, reversed(posting, 'recorded taken back'), null)
}

/** Books a recorded payout that has the confirmations that its value needs. */
export async function closeRecorded(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const row = await readRecorded(queries, payout.id)
  if (!row || !(await confirmRecorded(queries, payout.id, services.now())))
    throw new RetryLater('a recorded payout became the payout of a swap meanwhile')
  // Neither a reward nor a withdrawal waits for a deposit.
  if ((row.campaign !== null || row.kind === 'withdrawal') && !row.met) {
    await insertPosting(queries, promised(services, row), null)
    await setMet(queries, row.id, true)
  }
  await bookRecorded(services, queries, payout, 'made')
  if (row.kind === 'sale' && row.swapId) await alertUnspent(services, queries, row.swapId, payout)
}

/** A lost swap whose deposit was sold, and for which nothing was paid: its owner is owed the proceeds. */
async function alertUnspent(
  { log, metrics }: Services,
  queries: Queries,
  swapId: string,
  { id, network, leg, received_units: units }: PayoutRow,
): Promise<void> {
  if ((await knownSwaps(queries, [swapId])).has(swapId)) return
  if ((await recordedOfSwap(queries, swapId)).some(({ kind }) => kind !== 'sale')) return
  metrics.alerts.inc()
  const fields = { network, payoutId: id, swapId, token: leg?.buys, units }
  log.error(fields, 'a deposit of a lost swap was sold, and nothing was paid for it')
}

/** Books the payment out of the wallet, or back after a reorg. Recorded calls have no units and book nothing. */
export async function bookRecorded(
  services: Services,
  queries: Queries,
  payout: PayoutRow,
  as: 'made' | 'undone',
): Promise<void> {
  const { catalogue } = services
  const { id, account, network, token: key, units, leg, received_units: received } = payout
  const row = await readRecorded(queries, id)
  if (row?.kind === 'sweep') return bookSweep(services, queries, payout, as)
  if (!row || units === 0n) return
  const token = catalogue.token(network, key)
  if (row.kind === 'sale' && leg && row.swapId) {
    const isKnown = (await knownSwaps(queries, [row.swapId])).has(row.swapId)
    const bought = { token: toLeg(payout, leg, catalogue).buys, units: received ?? 0n }
    const sale = (isKnown ? saleConfirmed : saleRecorded)(row.swapId, account, { token, units }, bought)
    await insertPosting(
      queries,
      as === 'made' ? sale : reversed(sale, isKnown ? 'sale undone' : 'recorded taken back'),
      null,
    )
    return
  }
  const posting =
    row.kind === 'withdrawal'
      ? withdrawalPaid(account, token, units)
      : row.campaign
        ? rewardPaid(row.campaign, account, token, units)
        : payoutConfirmed(row.swapId, account, token, units)
  await insertPosting(queries, as === 'made' ? posting : reversed(posting, 'payout undone'), null)
}

/**
 * Voids a recorded payout whose slot proves that it was not paid. The deposits that it settled are then paid for
 * normally.
 */
export async function voidRecorded(services: Services, { id }: PayoutRow): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    const row = await readRecorded(queries, id)
    if (!row || !(await voidPayout(queries, id))) return
    await releaseSources(queries, id)
    if (row.met) await insertPosting(queries, reversed(promised(services, row), 'recorded taken back'), null)
    for (const deposit of await depositsByKeys(queries, row.keys)) {
      if ((await recordedOfDeposit(queries, deposit)).length === 0) await partRecorded(services, queries, deposit)
    }
    services.log.warn({ payoutId: id, swapId: row.swapId }, 'a payout of the journal was not made: it is void')
  })
}

function promised({ catalogue }: Services, { kind, campaign, swapId, network, token: key, units }: RecordedRow) {
  const token = catalogue.token(network, key)
  if (kind === 'withdrawal') return withdrawalPromised(token, units)
  return campaign === null ? payoutRecorded(swapId, token, units) : rewardPromised(campaign, token, units)
}
