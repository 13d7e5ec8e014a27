/** State that the oracle's rules share: the record of commits, the users' requests, and the violations found so far. */
import { type Network, type Token, tokenKey } from '@causeway/core'
import { decode, type Move, type SealedTransaction } from '../../../chains/simulated/src/transaction.ts'
import type { Problem } from '../check/problem.ts'
import type { Life } from '../world/process.ts'
import type { World } from '../world/world.ts'
import type { CommitRecord, DepositEntry, SwapEntry } from './commit-record.ts'
import type { Change } from './journal.ts'
import type { AskedFor } from './port.ts'
import type { Rules } from './rules.ts'
import type { Facts, Terms } from './terms.ts'

/** A user's request to a process, and the market as that process knew it. */
interface Asked extends AskedFor {
  withRefuel: Facts | null
  withoutRefuel: Facts | null
  /** The free native coins of the destination. */
  spareUnits: bigint | null
  /** The price of the campaign's token. */
  rewardPrice: bigint | null
}

export interface OracleState {
  world: World
  rules: Rules
  record: CommitRecord
  terms: Map<string, Terms>
  /** By the simulated process that was asked. */
  asked: Map<string, Asked>
  /** Refund addresses given for deposits after they arrived. */
  refundAddresses: Map<string, Set<string>>
  /** The address to which an operator sends an unmatched deposit. */
  unmatchedTargets: Map<string, string>
  /** The part of a deposit that was kept because it does not cover its gas. */
  kept: Map<string, bigint>
  /** The required confirmations of a deposit, by its value when it was first seen. */
  depths: Map<string, number>
  problems: Problem[]
}

/** One committed transaction, and the state before it. */
export interface Commit {
  life: Life
  changes: readonly Change[]
  swapsBefore: ReadonlyMap<string, SwapEntry>
  depositsBefore: ReadonlyMap<string, DepositEntry>
}

/** A violation is reported once. */
export function reportViolation({ problems }: OracleState, what: string, swap: number | null = null): void {
  if (!problems.some((other) => other.what === what && other.swap === swap)) problems.push({ what, swap })
}

export function numberOf({ record }: OracleState, swapId: string | null): number | null {
  return swapId === null ? null : (record.swaps.get(swapId)?.number ?? null)
}

/** A transaction as mined, or as sent. */
export function transactionOf({ world }: OracleState, network: string, hash: string): SealedTransaction | null {
  const landed = world.chains.get(network)?.find(hash)?.landed.transaction
  if (landed) return landed
  const sent = world.transactions.find((other) => other.hash === hash)
  return sent ? decode(sent.bytes) : null
}

export function moveOf(oracle: OracleState, { network, hash, index }: DepositEntry): Move | null {
  return transactionOf(oracle, network, hash)?.moves[index] ?? null
}

export function tokenOf({ world }: OracleState, network: string, key: string): Token | null {
  const listed = world.base.catalogue.networks.find(({ name }) => name === network)
  return listed?.tokens.find((token) => tokenKey(token) === key) ?? null
}

export function unspentOf({ units, outputUnits, refundUnits }: DepositEntry): bigint {
  return units - outputUnits - refundUnits
}

/** The prices that a process may use for a token: the current one, or the one at its start if it was paused since. */
export function pricesKnown({ services, pricesThen }: Life, token: Token): bigint[] {
  return [services.market.price(token), pricesThen.get(token) ?? null].flatMap((price) => price ?? [])
}

/** Confirmations for this many dollars; without a price it may have any value. */
export function tierOf({ confirmations, finalDepth }: Network, usd: bigint | null): number {
  const tier = confirmations.find(
    ({ upToUsd }) => upToUsd === null || (usd !== null && usd <= BigInt(upToUsd) * 10n ** 18n),
  )
  return tier?.confirmations ?? finalDepth
}
