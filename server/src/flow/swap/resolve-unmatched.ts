/**
 * Carries out an operator's decision about an unmatched deposit: assign it to a swap, or refund it less the gas.
 * Repeated requests have no further effect; the last decision counts.
 */
import {
  type Address,
  type ChainAdapter,
  depositArrived,
  payoutConfirmed,
  RetryLater,
  reversed,
  roundToTransferable,
  unmatchedReturned,
} from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { assignDeposit } from '../../store/deposits/deposits.ts'
import {
  decideReturn,
  dropReturn,
  insertReturn,
  lockUnmatched,
  type ReturnWord,
  readReturns,
  refuseReturn,
  resolveUnmatched,
} from '../../store/deposits/unmatched.ts'
import { closeWithoutSwap } from '../../store/payouts/payouts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { type DepositRow, lockSwapRows, type PayoutRow, readSwap, toDeposit } from '../../store/swaps/swaps.ts'
import { ownedAddresses } from '../../store/watch/addresses.ts'
import { applyWithin } from './advance.ts'

/** A deposit that is not final yet is rechecked after this long. */
const NOT_FINAL_MS = 10_000

/** `said`: the decision in a job of an older version, used if none is stored. */
export function assignUnmatched(services: Services, depositId: string, said?: string): Promise<void> {
  return carryOut(services, depositId, said ? { swapId: said } : null)
}

/** `said`: see `assignUnmatched`. */
export function returnUnmatched(services: Services, depositId: string, said?: string): Promise<void> {
  return carryOut(services, depositId, said ? { to: said } : null)
}

/** Carries out the newest decision, whichever job comes first. */
async function carryOut(services: Services, depositId: string, said: ReturnWord | null): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    const swapId = (await wordOn(queries, depositId, said))?.swapId
    // The lock order is the same everywhere: a swap before its deposits.
    await lockSwapRows(queries, swapId ? [swapId] : [])
    const deposit = await lockUnmatched(queries, depositId)
    if (!deposit) return dropReturn(queries, depositId)
    const word = await wordOn(queries, depositId, said)
    if (!word) return
    if (word === said) await decideReturn(queries, depositId, said, services.now())
    if (word.swapId !== swapId) throw new RetryLater('something else was said about the deposit meanwhile')
    if (word.swapId) await assign(services, queries, deposit, word.swapId)
    else if (word.to) await sendBack(services, queries, deposit, word.to)
  })
}

async function wordOn(queries: Queries, depositId: string, said: ReturnWord | null): Promise<ReturnWord | null> {
  const decision = (await readReturns(queries, [depositId])).get(depositId)
  if (decision?.swap_id) return { swapId: decision.swap_id }
  return decision?.to_address ? { to: decision.to_address } : said
}

async function assign(services: Services, queries: Queries, deposit: DepositRow, swapId: string): Promise<void> {
  const { catalogue, log } = services
  const { id: depositId } = deposit
  const swap = await readSwap(queries, swapId)
  if (!swap) return
  if (swap.row.source_network !== deposit.network || swap.row.source_token !== deposit.token) {
    log.error({ depositId, swapId }, 'a deposit was not assigned: the swap is for another token')
    await refuseReturn(queries, depositId, 'the swap is for another token')
    return
  }
  const token = catalogue.token(deposit.network, deposit.token)
  // The ledger had the deposit as unmatched; reverses that. From here on the deposit is credited like any other.
  const arrival = depositArrived(null, deposit.to_address, token, deposit.units)
  await insertPosting(queries, reversed(arrival, 'assigned'), swapId)
  await resolveUnmatched(queries, depositId, 'assigned', 0n)
  await dropReturn(queries, depositId)
  await assignDeposit(queries, depositId, swapId)
  const seen = { ...toDeposit(deposit), state: 'seen' } as const
  await applyWithin(services, queries, swapId, { type: 'deposit_seen', deposit: seen })
  await applyWithin(services, queries, swapId, { type: 'deposit_confirmed', depositId, units: deposit.units })
  log.info({ depositId, swapId }, 'deposit assigned')
}

async function sendBack(services: Services, queries: Queries, deposit: DepositRow, to: string): Promise<void> {
  const { catalogue, chains, market, log, now } = services
  const { id: depositId } = deposit
  const token = catalogue.token(deposit.network, deposit.token)
  const chain = chainOf(chains, token.network)
  if (!deposit.final) {
    // A deposit that a reorg may still remove is not refunded: the refund would cost us our own coins.
    await addJob(queries, { task: 'sendBack', payload: { depositId } }, { inMs: NOT_FINAL_MS })
    return
  }
  const address = chain.parseAddress(to)
  // The command line has no chain access: the address is checked here, before anything is ordered.
  const isOurs = address !== null && (await isOwn(queries, chain, address))
  if (address === null || isOurs || chain.isUnpayable(address)) {
    const reason = isOurs ? 'the address is one of ours' : 'the address cannot be paid'
    log.error({ depositId, to, reason }, 'a deposit was not sent back: the address cannot be paid')
    await refuseReturn(queries, depositId, reason)
    return
  }
  const fee = market.sendingFee(token)
  if (fee === null) throw new RetryLater(`what sending ${token.symbol} costs is not known now`)
  // The part below the chain's precision is added to the fee.
  const units = fee < deposit.units ? roundToTransferable(deposit.units - fee, token) : 0n
  if (units === 0n) {
    const reason = fee < deposit.units ? 'less than can be sent is left after the gas' : 'it does not cover the gas'
    log.error({ depositId, reason }, 'a deposit was not sent back: it does not cover the gas')
    await refuseReturn(queries, depositId, reason)
    return
  }
  const keptUnits = deposit.units - units
  await resolveUnmatched(queries, depositId, 'refunded', deposit.units)
  await dropReturn(queries, depositId)
  const account = chain.treasury
  const payout = await insertReturn(queries, { deposit, token, account, to: address, units, keptUnits, now: now() })
  await insertPosting(queries, unmatchedReturned(token, deposit.units, units), null)
  await addJob(queries, { task: 'pay', payload: { payoutId: payout.id }, lane: laneOf(token.network, account) })
  log.info({ depositId, to }, 'deposit is sent back')
}

/** Whether the address is one of ours. A refund to ourselves would never reach the depositor. */
async function isOwn(queries: Queries, chain: ChainAdapter, address: Address): Promise<boolean> {
  if (address === chain.treasury) return true
  return (await ownedAddresses(queries, chain.network.name, [address])).length > 0
}

/** Books a confirmed return of an unmatched deposit. */
export async function closeReturn(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const token = services.catalogue.token(payout.network, payout.token)
  if (!(await closeWithoutSwap(queries, payout.id, 'confirmed', services.now()))) return
  await insertPosting(queries, payoutConfirmed(null, payout.account, token, payout.units), null)
}

/** Voids a return that could not be sent: the deposit waits for another decision. */
export async function abandonReturn(services: Services, payout: PayoutRow): Promise<void> {
  const token = services.catalogue.token(payout.network, payout.token)
  const gross = payout.units + payout.kept_units
  await services.database.transaction().execute(async (queries) => {
    if (!(await closeWithoutSwap(queries, payout.id, 'abandoned', services.now()))) return
    if (payout.deposit_id) await resolveUnmatched(queries, payout.deposit_id, null, 0n)
    await insertPosting(queries, reversed(unmatchedReturned(token, gross, payout.units), 'return taken back'), null)
  })
}
