/**
 * Carries out the actions of `judgeDeposit`: inserts and changes rows, advances swaps, and books deposits without a
 * swap.
 */
import { type ChainAdapter, type DepositStep, depositArrived, refreshed, reversed } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import {
  assignDeposit,
  insertDeposits,
  lockDeposit,
  refreshDeposit,
  setBlockTime,
  setReplaced,
  setUnmatchedState,
  takeFromSwap,
} from '../../store/deposits/deposits.ts'
import { toKnownDeposit } from '../../store/deposits/observations.ts'
import { dropReturn, takeUpIgnored } from '../../store/deposits/unmatched.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { type DepositRow, lockSwapRows, toDeposit } from '../../store/swaps/swaps.ts'
import { alertOnce } from '../lib/error-boundary.ts'
import { applyWithin } from '../swap/advance.ts'
import { meetRecorded, partRecorded, recordedFor, settledFor } from '../swap/match-recorded.ts'
import { findSwap } from './match.ts'
import { ownDepth } from './required-confirmations.ts'

/** The rows of one transaction by id, as changed by the last action. */
export type Deposits = Map<string, DepositRow>

export async function carryOut(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  rows: Deposits,
  txHash: string,
  action: DepositStep,
  blockAt: Date | null,
): Promise<void> {
  const network = chain.network.name
  if (action.do === 'insert') {
    const [row] = await insertDeposits(queries, network, [toInsert(services, chain, txHash, action)], services.now())
    if (!row) return
    rows.set(action.id, row)
    return assignToSwap(services, queries, chain, row, action)
  }
  const row = rows.get(action.id)
  if (!row) return
  switch (action.do) {
    case 'move':
    case 'revive': {
      const transfer = refreshed(toKnownDeposit(row), action.transfer)
      const now = await refreshDeposit(queries, row, { transfer, block: action.block }, services.now())
      rows.set(row.id, now)
      return action.do === 'revive' ? revive(services, queries, chain, now, action) : undefined
    }
    case 'credit':
      return credit(services, queries, row, action, blockAt)
    case 'orphan': {
      await orphan(services, queries, row)
      const now = await lockDeposit(queries, row.id)
      if (now) rows.set(row.id, now)
      return
    }
    case 'supersede':
      services.log.error({ network, txHash, index: row.index }, 'deposit is not what it was when it was seen')
      return setReplaced(queries, row.id, true)
    case 'restore':
      return setReplaced(queries, row.id, false)
    case 'doubt':
      services.log.warn({ network, txHash }, 'a credited deposit is shown otherwise')
      return
    case 'alert':
      alertOnce(services, { what: 'final deposit', id: row.id, network, txHash }, new FinalDepositChanged(txHash))
  }
}

/** No reorg reaches a final deposit: either a node is wrong, or the network's final depth is too small. */
class FinalDepositChanged extends Error {
  override name = 'FinalDepositChanged'
}

/** The row of a new deposit. */
export function toInsert(
  services: Services,
  chain: ChainAdapter,
  txHash: string,
  { transfer, block }: Pick<Extract<DepositStep, { do: 'insert' }>, 'transfer' | 'block'>,
) {
  return { txHash, transfer, block, depth: ownDepth(services, chain.network, transfer) }
}

/**
 * Assigns a new deposit to the swap that it names, unless another deposit of its transaction was lost after its money
 * was paid out.
 */
export async function assignToSwap(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  { transfer, block, isAfterLoss }: Extract<DepositStep, { do: 'insert' | 'revive' }>,
): Promise<void> {
  const { network, tx_hash: txHash, id: depositId } = deposit
  if (isAfterLoss) alertBesideLoss(services, deposit)
  const swapId = isAfterLoss ? null : await findSwap(services, queries, chain, txHash, transfer, block)
  services.metrics.deposits.inc({ network, outcome: swapId ? 'matched' : 'unmatched' })
  if (!swapId) {
    services.log.warn({ network, txHash, depositId }, 'deposit matches no swap')
    return
  }
  await lockSwapRows(queries, [swapId])
  await assignDeposit(queries, depositId, swapId)
  await tellSwap(services, queries, deposit, swapId)
}

async function tellSwap(services: Services, queries: Queries, deposit: DepositRow, swapId: string): Promise<void> {
  const { network, tx_hash: txHash, units } = deposit
  const seen = { ...toDeposit(deposit), state: 'seen' } as const
  await applyWithin(services, queries, swapId, { type: 'deposit_seen', deposit: seen })
  services.log.info({ network, swapId, txHash, units: `${units}` }, 'deposit seen')
}

async function revive(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  step: Extract<DepositStep, { do: 'revive' }>,
): Promise<void> {
  const { id, swap_id: swapId, resolution } = deposit
  if (swapId) return tellSwap(services, queries, deposit, swapId)
  await setUnmatchedState(queries, id, 'seen', 'gone')
  // Earlier operator decisions applied to the former content: the deposit may be larger now.
  await takeUpIgnored(queries, id)
  await dropReturn(queries, id)
  // Once an operator has decided about a deposit, only operators assign it.
  if (resolution === null) await assignToSwap(services, queries, chain, deposit, step)
}

async function credit(
  services: Services,
  queries: Queries,
  deposit: DepositRow,
  { units, isBesideLoss, isKnownLoss }: Extract<DepositStep, { do: 'credit' }>,
  blockAt: Date | null,
): Promise<void> {
  const { id: depositId, swap_id: swapId, network } = deposit
  services.metrics.deposits.inc({ network, outcome: 'confirmed' })
  if (isBesideLoss && !isKnownLoss) alertBesideLoss(services, deposit)
  const settled = swapId ? await settledFor(queries, deposit) : null
  if (swapId && (isBesideLoss || settled === 'another')) {
    // Takes the deposit from its swap. Either its transaction's money was already paid out for a deposit at another
    // index, and an operator decides. Or the signing journal shows that it was settled for another swap, which the
    // database lost.
    await applyWithin(services, queries, swapId, { type: 'deposit_gone', depositId })
    await takeFromSwap(queries, depositId)
    await dropReturn(queries, depositId)
    return settleUnmatched(services, queries, { ...deposit, swap_id: null, state: 'seen' }, 'confirmed')
  }
  if (!swapId) return settleUnmatched(services, queries, deposit, 'confirmed')
  if (blockAt) await setBlockTime(queries, depositId, blockAt)
  const recorded = settled ? await recordedFor(services, queries, swapId, depositId) : []
  const journal = recorded.length > 0 ? { recorded } : {}
  await applyWithin(services, queries, swapId, { type: 'deposit_confirmed', depositId, units, ...journal })
}

async function orphan(services: Services, queries: Queries, deposit: DepositRow): Promise<void> {
  const { id: depositId, swap_id: swapId, tx_hash: txHash, network } = deposit
  services.metrics.deposits.inc({ network, outcome: 'gone' })
  services.log.warn({ network, txHash, swapId }, 'deposit is gone')
  if (swapId) await applyWithin(services, queries, swapId, { type: 'deposit_gone', depositId })
  else await settleUnmatched(services, queries, deposit, 'gone')
}

/** Deposits without a swap are in the ledger too. */
async function settleUnmatched(
  services: Services,
  queries: Queries,
  deposit: DepositRow,
  state: 'confirmed' | 'gone',
): Promise<void> {
  const settled = await setUnmatchedState(queries, deposit.id, state, deposit.state)
  if (!settled) return
  const token = services.catalogue.token(deposit.network, settled.token)
  const arrival = depositArrived(null, settled.to_address, token, settled.units)
  if (state === 'confirmed') {
    await insertPosting(queries, arrival, null)
    await meetRecorded(services, queries, settled)
  } else if (deposit.state === 'confirmed') {
    await insertPosting(queries, reversed(arrival, 'deposit gone'), null)
    await partRecorded(services, queries, deposit)
  }
}

function alertBesideLoss(
  { log, metrics }: Services,
  { id: depositId, network, tx_hash: txHash, swap_id: swapId }: DepositRow,
) {
  metrics.alerts.inc()
  log.error({ network, txHash, depositId, swapId }, 'deposit found where one was lost: it waits for a decision')
}
