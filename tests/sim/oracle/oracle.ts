/**
 * The oracle: independent rules for every commit of the money path, written from the specification. It reads commits
 * and chains, knows what each user requested, and reports every violation at once.
 */
import type { Life } from '../world/process.ts'
import type { World } from '../world/world.ts'
import { applyChange, emptyRecord, type SwapEntry } from './commit-record.ts'
import { judgeDeposit } from './deposits.ts'
import { type Change, openJournal } from './journal.ts'
import { openLanded } from './landed.ts'
import { ask, judgeNewSwap } from './new-swaps.ts'
import { type Commit, numberOf, type OracleState, reportViolation } from './oracle-state.ts'
import { judgeOutput } from './outputs.ts'
import type { Oracle } from './port.ts'
import { judgeReason, judgeReturn, judgeUse } from './returns.ts'
import { RULES } from './rules.ts'

/** A payout gets its slot: no operator has rejected it, and its recipient was screened. */
function judgeBegun(oracle: OracleState, life: Life, id: string): void {
  const payout = oracle.record.payouts.get(id)
  if (!payout || payout.kind === 'sweep') return
  const number = numberOf(oracle, payout.swapId)
  if (payout.rejected) reportViolation(oracle, `a ${payout.kind} was begun that a person had rejected`, number)
  const heardAtMs = oracle.world.listing.heard.get(payout.to) ?? -1
  if (!oracle.record.approved.has(id) && heardAtMs < life.busySinceMs)
    reportViolation(oracle, `a ${payout.kind} was begun while the screening service kept silent`, number)
}

/**
 * No reference and no deposit address of a swap that the database has forgotten is given to another person. A customer
 * of an app gets the same address again.
 */
function judgeReuse(oracle: OracleState, id: string): void {
  const { record, world } = oracle
  const swap = record.swaps.get(id)
  for (const lost of world.lostSwaps) {
    const other = record.swaps.get(lost)
    if (!swap || !other || lost === id) continue
    const sharesAddress = swap.usesDepositAddress && other.usesDepositAddress && swap.receiver === other.receiver
    if (swap.number === other.number) reportViolation(oracle, 'it has the reference of a lost swap', swap.number)
    if (sharesAddress && !isSameCustomer(swap, other))
      reportViolation(oracle, 'it has the deposit address of a lost swap', swap.number)
  }
}

/** As `docs/rules.md` says of an app: the same route, recipient and refund address. */
function isSameCustomer(one: SwapEntry, other: SwapEntry): boolean {
  if (one.appId === null) return false
  const keys = ['appId', 'source', 'destination', 'destinationAddress', 'refundAddress'] as const
  return keys.every((key) => one[key] === other[key])
}

/** Answers to the file of a restore name their payouts by lines. */
const BY_FILE = 'restore_doubt'

function judgeAnswer({ world, record, problems }: OracleState, { hold_id: hold }: Change['row']): void {
  if (!hold || world.answered.has(hold) || record.holdCodes.get(hold) === BY_FILE) return
  problems.push({ what: 'an answer was stored for a hold that the operator was not shown', swap: null })
}

export function openOracle(world: World): Oracle {
  const oracle: OracleState = {
    world,
    rules: RULES,
    record: emptyRecord(),
    terms: new Map(),
    asked: new Map(),
    refundAddresses: new Map(),
    unmatchedTargets: new Map(),
    kept: new Map(),
    depths: new Map(),
    problems: [],
  }
  const read = openJournal(world)
  const landed = openLanded(oracle)

  function judge(life: Life, changes: readonly Change[]): void {
    const { record } = oracle
    const idsOf = (table: Change['table']) => [
      ...new Set(changes.flatMap((change) => (change.table === table ? [change.row.id ?? ''] : []))),
    ]
    const before = <Entry>(kept: ReadonlyMap<string, Entry>, ids: string[]) =>
      new Map(ids.flatMap((id) => (kept.has(id) ? [[id, kept.get(id) as Entry] as const] : [])))
    const commit: Commit = {
      life,
      changes,
      swapsBefore: before(record.swaps, idsOf('swap')),
      depositsBefore: before(record.deposits, idsOf('deposit')),
    }
    const paidBefore = new Set(idsOf('payout').filter((id) => record.payouts.get(id)?.state === 'confirmed'))
    for (const change of changes) applyChange(record, change)
    for (const change of changes) {
      if (change.table === 'swap' && change.isNew) {
        judgeNewSwap(oracle, commit, change)
        judgeReuse(oracle, change.row.id ?? '')
      }
      if (change.table === 'decision' && change.isNew) judgeAnswer(oracle, change.row)
    }
    for (const id of idsOf('swap')) {
      const swap = record.swaps.get(id)
      if (!swap) continue
      const terms = oracle.terms.get(id)
      if (swap.destinationAddress !== terms?.destinationAddress)
        reportViolation(oracle, 'its recipient was changed', swap.number)
      if (swap.refundAddress !== terms?.refundAddress)
        reportViolation(oracle, 'its refund address was changed', swap.number)
      judgeReason(oracle, commit, swap)
    }
    for (const id of idsOf('deposit')) {
      const deposit = record.deposits.get(id)
      if (!deposit) continue
      if (deposit.refundAddress !== null && !oracle.refundAddresses.get(id)?.has(deposit.refundAddress))
        reportViolation(oracle, 'nobody gave the refund address of its deposit', numberOf(oracle, deposit.swapId))
      judgeDeposit(oracle, commit, deposit, landed)
      judgeUse(oracle, commit, deposit)
    }
    for (const id of idsOf('payout')) {
      const payout = record.payouts.get(id)
      if (payout?.state === 'confirmed' && !paidBefore.has(id)) landed.judgeMade(life, payout)
    }
    for (const { table, isNew, row } of changes) {
      const payout = table === 'payout' && isNew ? record.payouts.get(row.id ?? '') : undefined
      if (payout?.kind === 'output' || payout?.kind === 'refuel') judgeOutput(oracle, commit, payout)
      if (payout?.kind === 'refund' || payout?.kind === 'return') judgeReturn(oracle, commit, payout)
      if (table === 'slot_payout' && isNew) judgeBegun(oracle, life, row.payout_id ?? '')
      const attempt = table === 'attempt' ? record.attempts.get(row.hash ?? '') : undefined
      if (attempt) landed.judgeAttempt(attempt)
    }
  }

  return {
    problems: oracle.problems,
    record: oracle.record,
    purposeOf: landed.purposeOf,
    ask: (life, request) => ask(oracle, life.name, life.services, request),
    allow(depositIds, address) {
      for (const id of depositIds)
        oracle.refundAddresses.set(id, new Set([...(oracle.refundAddresses.get(id) ?? []), address]))
    },
    allowUnmatched: (depositId, address) => void oracle.unmatchedTargets.set(depositId, address),
    async observe(life) {
      for (const changes of await read()) judge(life, changes)
      landed.look()
    },
    look: landed.look,
  }
}
