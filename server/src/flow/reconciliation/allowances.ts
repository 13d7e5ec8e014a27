/**
 * Allowances of a wallet since its balance last matched: rent, the gas of receiving, and after a restore the fees of
 * sweeps that the database lost. Rent is counted per day, so that frequent small thefts gain nothing.
 */
import type { Allowances, ChainAdapter } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import { readAllowance, saveAllowance } from '../../store/ledger/allowances.ts'
import { receiptsSince } from '../../store/ledger/balances.ts'
import { emptiedAddresses } from '../../store/restore/barrier.ts'

/** Fees may have been higher at that time. */
const FEE_MULTIPLE = 10n
const DAY_MS = 86_400_000n

const NO_ALLOWANCES: Allowances = { rentUnitsPerDay: 0n, setupUnits: 0n, receiptUnits: 0n }

/** The sum of all current allowances. */
export async function allowanceOf(
  queries: Queries,
  chain: ChainAdapter,
  upTo: bigint | null,
  now: Date,
): Promise<bigint> {
  const { daily, once } = await leftOf(queries, chain, now)
  return daily + once + (await explainedBy(queries, chain, upTo))
}

/** Subtracts this much from the allowances, if they cover it; the caller holds the lock on the wallet's finding. */
export async function spendAllowance(
  queries: Queries,
  chain: ChainAdapter,
  units: bigint,
  upTo: bigint | null,
  now: Date,
): Promise<boolean> {
  const { allowances: { rentUnitsPerDay, setupUnits } = NO_ALLOWANCES, treasury, network } = chain
  const { daily, once } = await leftOf(queries, chain, now)
  const explained = await explainedBy(queries, chain, upTo)
  const unexplained = units > explained ? units - explained : 0n
  if (unexplained > daily + once) return false
  if (unexplained === 0n) return true
  const byDay = unexplained < daily ? unexplained : daily
  await saveAllowance(queries, network.name, treasury, {
    dailyUnits: rentUnitsPerDay - daily + byDay,
    onceUnits: setupUnits - once + unexplained - byDay,
    at: now,
  })
  return true
}

/** The amount that an explanation covers; recomputed at each check. */
async function explainedBy(queries: Queries, chain: ChainAdapter, upTo: bigint | null): Promise<bigint> {
  const { allowances: { receiptUnits } = NO_ALLOWANCES, treasury, network } = chain
  const receipts = receiptUnits === 0n ? 0n : await receiptsSince(queries, network.nativeToken, treasury, upTo)
  return receiptUnits * receipts + (await forgottenFees(queries, chain))
}

async function leftOf(queries: Queries, chain: ChainAdapter, now: Date): Promise<{ daily: bigint; once: bigint }> {
  const { allowances: { rentUnitsPerDay, setupUnits } = NO_ALLOWANCES, treasury, network } = chain
  if (rentUnitsPerDay === 0n && setupUnits === 0n) return { daily: 0n, once: 0n }
  const spent = await readAllowance(queries, network.name, treasury)
  if (!spent) return { daily: rentUnitsPerDay, once: setupUnits }
  const sinceMs = BigInt(Math.max(0, now.getTime() - spent.at.getTime()))
  // Both are rounded down: only the certain part is allowed.
  const wonBack = (rentUnitsPerDay * sinceMs) / DAY_MS
  return {
    daily: bounded(rentUnitsPerDay - spent.dailyUnits + wonBack, rentUnitsPerDay),
    once: bounded(setupUnits - spent.onceUnits, setupUnits),
  }
}

function bounded(units: bigint, most: bigint): bigint {
  if (units < 0n) return 0n
  return units > most ? most : units
}

async function forgottenFees(queries: Queries, chain: ChainAdapter): Promise<bigint> {
  const emptied = await emptiedAddresses(queries, chain.network.name)
  return emptied === 0n ? 0n : emptied * FEE_MULTIPLE * (await chain.fees()).sweep
}
