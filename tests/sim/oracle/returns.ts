/**
 * Rules for money that goes back: the address, the fee and the reason; and amounts that are kept because they do not
 * cover their gas.
 */
import { tokenKey } from '@causeway/core'
import { activePayoutsOf, type DepositEntry, depositsOf, type PayoutEntry, type SwapEntry } from './commit-record.ts'
import { type Commit, moveOf, numberOf, type OracleState, reportViolation, tokenOf, unspentOf } from './oracle-state.ts'
import { freeUnits, isNear, worths } from './outputs.ts'
import { ASKED_AGAIN_MS } from './rules.ts'
import { factsOf, resizedTo, type Terms, usdOf, worthOf } from './terms.ts'

/** Twice the difference between the clocks of two processes. */
const SKEW_MS = 40_000

/** An order to return a deposit, or the rest of it. */
export function judgeReturn(oracle: OracleState, commit: Commit, payout: PayoutEntry): void {
  const { record } = oracle
  const deposit = record.deposits.get(payout.depositId ?? '')
  const number = numberOf(oracle, payout.swapId)
  const must = (holds: boolean, what: string) => void (holds || reportViolation(oracle, what, number))
  if (!deposit) {
    reportViolation(oracle, `a ${payout.kind} was ordered without a deposit`, number)
    return
  }
  must(deposit.swapId === payout.swapId, `a ${payout.kind} gives back another swap's deposit`)
  must(
    payout.network === deposit.network && payout.token === deposit.token,
    `a ${payout.kind} was ordered in another token than came`,
  )
  const token = tokenOf(oracle, deposit.network, deposit.token)
  const fee = token && commit.life.services.market.sendingFee(token)
  must(payout.keptUnits === fee, `its ${payout.kind} keeps ${payout.keptUnits} for the gas, which costs ${fee}`)
  if (payout.swapId === null) {
    judgeUnmatchedReturn(oracle, payout, deposit)
    return
  }
  const swap = record.swaps.get(payout.swapId)
  const targets = swap ? targetsOf(oracle, swap, deposit) : []
  must(targets.includes(payout.to), `its ${payout.kind} was ordered to ${payout.to} instead of ${targets.join(' or ')}`)
  must(
    payout.kind === 'return' || activePayoutsOf(record, payout.swapId, ['output']).length === 0,
    'a refund was ordered beside an output',
  )
}

function judgeUnmatchedReturn(oracle: OracleState, payout: PayoutEntry, { id, units, state }: DepositEntry): void {
  if (oracle.unmatchedTargets.get(id) !== payout.to)
    reportViolation(oracle, `a deposit of nobody was sent to ${payout.to}`)
  if (payout.units + payout.keptUnits !== units)
    reportViolation(oracle, `a return of ${payout.units} was ordered for ${units}`)
  if (state !== 'confirmed') reportViolation(oracle, 'a deposit was sent back that does not count')
}

/**
 * Allowed refund addresses: the one given for the deposit, or for its swap at creation; else the sender, unless that
 * may be an exchange.
 */
function targetsOf(oracle: OracleState, swap: SwapEntry, deposit: DepositEntry): string[] {
  const terms = oracle.terms.get(swap.id)
  const said = oracle.refundAddresses.get(deposit.id) ?? new Set()
  const from = moveOf(oracle, deposit)?.from
  const isSafe = terms?.usesDepositAddress === false || from === terms?.sourceAddress
  // An amount ordered before an address was given may be ordered there again together with the rest.
  const otherwise = terms?.refundAddress ?? (isSafe ? from : null)
  return [...said, ...(otherwise ? [otherwise] : [])]
}

/** Every unit of a deposit that is not delivered is ordered to be returned, kept because of gas, or still there. */
export function judgeUse(oracle: OracleState, commit: Commit, deposit: DepositEntry): void {
  const { record, kept } = oracle
  const number = numberOf(oracle, deposit.swapId)
  const ordered = [...record.payouts.values()].filter(
    ({ depositId, state }) => depositId === deposit.id && state !== 'abandoned',
  )
  const keeps = ordered.reduce((left, { units, keptUnits }) => left - units - keptUnits, deposit.refundUnits)
  const before = kept.get(deposit.id) ?? 0n
  kept.set(deposit.id, keeps)
  if (keeps < 0n)
    reportViolation(oracle, `${-keeps} more of a deposit are being sent back than were taken off it`, number)
  if (unspentOf(deposit) < 0n) reportViolation(oracle, 'more was spent of a deposit than it brought', number)
  const token = tokenOf(oracle, deposit.network, deposit.token)
  const fee = token && commit.life.services.market.sendingFee(token)
  if (keeps > before && (fee === null || keeps - before > fee))
    reportViolation(oracle, `${keeps - before} of a deposit were kept, and sending them back costs ${fee}`, number)
  const price = token && commit.life.services.market.price(token)
  if (keeps > before && token && price && usdOf(token, keeps - before, price) > dustUsd(oracle))
    reportViolation(oracle, `${keeps - before} of a deposit were kept, which is above the dust limit`, number)
}

/** Checks the reason that a swap gives for not delivering. */
export function judgeReason(oracle: OracleState, commit: Commit, swap: SwapEntry): void {
  const before = commit.swapsBefore.get(swap.id)
  const { failReason: reason } = swap
  const terms = oracle.terms.get(swap.id)
  if (reason === null || before?.failReason === reason || !terms) return
  const money = depositsOf(oracle.record, swap.id).filter(({ state }) => state === 'confirmed')
  const free = money.map((deposit) => {
    const { outputUnits, refundUnits } = commit.depositsBefore.get(deposit.id) ?? deposit
    return { deposit, units: deposit.units - outputUnits - refundUnits }
  })
  const total = free.reduce((sum, { units }) => sum + units, 0n)
  const wrong = contradictions[reason]?.({ oracle, commit, swap, before, terms, free, total })
  if (wrong) reportViolation(oracle, `it says ${reason}, but ${wrong}`, swap.number)
}

interface Case {
  oracle: OracleState
  commit: Commit
  swap: SwapEntry
  before: SwapEntry | undefined
  terms: Terms
  /** The swap's deposits before this commit ordered anything. */
  free: { deposit: DepositEntry; units: bigint }[]
  total: bigint
}

const contradictions: Record<string, (one: Case) => string | false> = {
  received_less_than_valid_range({ oracle, commit, swap, before, terms, free }) {
    const isLate = before?.status === 'expired' || commit.life.services.now().getTime() >= swap.expiresAtMs
    if (!isLate) return 'its window is open'
    const facts = factsOf(commit.life.services, terms)
    // A deposit above the maximum, which anyone may have sent, is refunded automatically and is not part of the
    // received amount.
    const isApart = ({ deposit, units }: (typeof free)[number]) =>
      oracle.rules.strangersNeverClose &&
      (terms.sourceAddress === null ? !terms.usesDepositAddress : !isOwn(oracle, terms, deposit)) &&
      facts !== null &&
      usdOf(terms.source, units, facts.sourcePrice) >= mostUsd(oracle)
    const total = free.reduce((sum, part) => (isApart(part) ? sum : sum + part.units), 0n)
    const usd = facts && usdOf(terms.source, total, facts.sourcePrice)
    const asked = oracle.rules.swapsWhatArrives ? null : terms.requestedUnits
    if (asked !== null) return total >= asked - 1n && `${total} of ${asked} came`
    return usd !== null && usd > leastUsd(oracle, facts?.networkFeeUsd ?? 0n) && `${total} came, which is enough`
  },
  received_more_than_valid_range({ oracle, commit, terms, free }) {
    const facts = factsOf(commit.life.services, terms)
    const sums =
      terms.requestedUnits === null
        ? [free.reduce((sum, { units }) => sum + units, 0n)]
        : free.map(({ units }) => units)
    if (!facts || !sums.some((units) => usdOf(terms.source, units, facts.sourcePrice) >= mostUsd(oracle)))
      return 'no deposit was above it'
    const hasOwn = free.some(({ deposit }) => isOwn(oracle, terms, deposit))
    return oracle.rules.strangersNeverClose && !hasOwn && 'it came from a stranger'
  },
  degraded_quote({ oracle, commit, swap, terms, free, total }) {
    const { config } = oracle.world.base
    const today = factsOf(commit.life.services, terms)
    const asked = terms.requestedUnits
    const now = today && worthOf(terms, today, config, asked !== null && asked < total ? asked : total)
    if (asked === null) return now !== null && 'any price was agreed to'
    // The clocks that dated its credit and its return may differ a little.
    const counted = Math.min(...free.map(({ deposit }) => deposit.confirmedAtMs ?? 0))
    const askedForMs = commit.life.services.now().getTime() - counted
    if (askedForMs < ASKED_AGAIN_MS - SKEW_MS) return `its price was asked for ${askedForMs} ms`
    const least = resizedTo(terms, config, asked < total ? asked : total)
    if (now !== null && least !== null && now.receiveUnits >= least.minReceiveUnits) return 'today it is worth enough'
    const inTime = free.filter(({ deposit }) => deposit.seenAtMs <= swap.quoteExpiresAtMs)
    const held = inTime.reduce((sum, { units }) => sum + units, 0n)
    const units = held < asked ? held : asked
    const isEnough = today && usdOf(terms.source, units, today.sourcePrice) > leastUsd(oracle, today.networkFeeUsd)
    return isEnough === true && isNear(oracle, terms, today, units) && `${units} of it came in time`
  },
  insufficient_liquidity({ oracle, commit, terms, total }) {
    const asked = terms.requestedUnits
    const { quoted, now } = worths(oracle, commit, terms, asked !== null && asked < total ? asked : total)
    const most = [quoted, now].reduce(
      (most, worth) => (worth && worth.receiveUnits > most ? worth.receiveUnits : most),
      0n,
    )
    const free = freeUnits(oracle, commit, terms, null)
    const isShared = terms.refuel !== null && tokenKey(terms.refuel) === tokenKey(terms.destination)
    return free !== null && !isShared && most <= free && `${free} are free and ${most} wanted`
  },
  swap_route_unavailable({ commit, swap, before, terms }) {
    const isLate = before?.status === 'expired' || commit.life.services.now().getTime() >= swap.expiresAtMs
    if (!isLate) return 'its window is open'
    const isKnown = commit.life.services.market.balance(terms.destination) !== null
    return isKnown && factsOf(commit.life.services, terms) !== null && 'it can be priced'
  },
  payout_rejected({ oracle, swap }) {
    const outputs = [...oracle.record.payouts.values()].filter(
      ({ swapId, kind }) => swapId === swap.id && kind === 'output',
    )
    return !outputs.some(({ state }) => state === 'abandoned') && 'no output was given up'
  },
  deposit_lost({ oracle, swap }) {
    return (
      !depositsOf(oracle.record, swap.id).some(({ state }) => state === 'lost' || state === 'gone') &&
      'no deposit is gone'
    )
  },
}

function isOwn(oracle: OracleState, { usesDepositAddress, sourceAddress }: Terms, deposit: DepositEntry): boolean {
  return usesDepositAddress || sourceAddress === null || moveOf(oracle, deposit)?.from === sourceAddress
}

function dustUsd({ world }: OracleState): bigint {
  return BigInt(world.base.config.dustUsd) * 10n ** 18n
}

function mostUsd({ world }: OracleState): bigint {
  return BigInt(world.base.config.maxSwapUsd) * 10n ** 18n
}

/** A swap below this value may be below the minimum: the operator's, or twice its cost. */
function leastUsd({ world }: OracleState, networkFeeUsd: bigint): bigint {
  const { minSwapUsd, refuelUsd } = world.base.config
  return BigInt(minSwapUsd + refuelUsd) * 2n * 10n ** 18n + 2n * networkFeeUsd
}
