/**
 * Rules for money that goes back: the address, the fee and the reason; and amounts that are kept because they do not
 * cover their gas.
 */
import { tokenKey } from '@causeway/core'
import { type DepositEntry, depositsOf, type PayoutEntry, type SwapEntry, standingOf } from './chronicle.ts'
import { accuse, type Commit, type Court, moveOf, numberOf, tokenOf, unspentOf } from './court.ts'
import { freeUnits, isNear, worths } from './deliveries.ts'
import { ASKED_AGAIN_MS } from './rules.ts'
import { factsOf, resizedTo, type Terms, usdOf, worthOf } from './terms.ts'

/** Twice the difference between the clocks of two processes. */
const SKEW_MS = 40_000

/** An order to return a deposit, or the rest of it. */
export function judgeReturn(court: Court, commit: Commit, payout: PayoutEntry): void {
  const { record } = court
  const deposit = record.deposits.get(payout.depositId ?? '')
  const number = numberOf(court, payout.swapId)
  const must = (holds: boolean, what: string) => void (holds || accuse(court, what, number))
  if (!deposit) {
    accuse(court, `a ${payout.kind} was ordered without a deposit`, number)
    return
  }
  must(deposit.swapId === payout.swapId, `a ${payout.kind} gives back another swap's deposit`)
  must(
    payout.network === deposit.network && payout.token === deposit.token,
    `a ${payout.kind} was ordered in another token than came`,
  )
  const token = tokenOf(court, deposit.network, deposit.token)
  const fee = token && commit.life.services.market.sendingFee(token)
  must(payout.keptUnits === fee, `its ${payout.kind} keeps ${payout.keptUnits} for the gas, which costs ${fee}`)
  if (payout.swapId === null) {
    judgeUnmatchedReturn(court, payout, deposit)
    return
  }
  const swap = record.swaps.get(payout.swapId)
  const targets = swap ? targetsOf(court, swap, deposit) : []
  must(targets.includes(payout.to), `its ${payout.kind} was ordered to ${payout.to} instead of ${targets.join(' or ')}`)
  must(
    payout.kind === 'return' || standingOf(record, payout.swapId, ['output']).length === 0,
    'a refund was ordered beside an output',
  )
}

function judgeUnmatchedReturn(court: Court, payout: PayoutEntry, { id, units, state }: DepositEntry): void {
  if (court.unmatchedTargets.get(id) !== payout.to) accuse(court, `a deposit of nobody was sent to ${payout.to}`)
  if (payout.units + payout.keptUnits !== units) accuse(court, `a return of ${payout.units} was ordered for ${units}`)
  if (state !== 'confirmed') accuse(court, 'a deposit was sent back that does not count')
}

/**
 * Allowed refund addresses: the one given for the deposit, or for its swap at creation; else the sender, unless that
 * may be an exchange.
 */
function targetsOf(court: Court, swap: SwapEntry, deposit: DepositEntry): string[] {
  const terms = court.terms.get(swap.id)
  const said = court.refundAddresses.get(deposit.id) ?? new Set()
  const from = moveOf(court, deposit)?.from
  const isSafe = terms?.usesDepositAddress === false || from === terms?.sourceAddress
  // An amount ordered before an address was given may be ordered there again together with the rest.
  const otherwise = terms?.refundAddress ?? (isSafe ? from : null)
  return [...said, ...(otherwise ? [otherwise] : [])]
}

/** Every unit of a deposit that is not delivered is ordered to be returned, kept because of gas, or still there. */
export function judgeUse(court: Court, commit: Commit, deposit: DepositEntry): void {
  const { record, kept } = court
  const number = numberOf(court, deposit.swapId)
  const ordered = [...record.payouts.values()].filter(
    ({ depositId, state }) => depositId === deposit.id && state !== 'abandoned',
  )
  const keeps = ordered.reduce((left, { units, keptUnits }) => left - units - keptUnits, deposit.refundUnits)
  const before = kept.get(deposit.id) ?? 0n
  kept.set(deposit.id, keeps)
  if (keeps < 0n) accuse(court, `${-keeps} more of a deposit are being sent back than were taken off it`, number)
  if (unspentOf(deposit) < 0n) accuse(court, 'more was spent of a deposit than it brought', number)
  const token = tokenOf(court, deposit.network, deposit.token)
  const fee = token && commit.life.services.market.sendingFee(token)
  if (keeps > before && (fee === null || keeps - before > fee))
    accuse(court, `${keeps - before} of a deposit were kept, and sending them back costs ${fee}`, number)
  const price = token && commit.life.services.market.price(token)
  if (keeps > before && token && price && usdOf(token, keeps - before, price) > dustUsd(court))
    accuse(court, `${keeps - before} of a deposit were kept, which is above the dust limit`, number)
}

/** Checks the reason that a swap gives for not delivering. */
export function judgeReason(court: Court, commit: Commit, swap: SwapEntry): void {
  const before = commit.swapsBefore.get(swap.id)
  const { failReason: reason } = swap
  const terms = court.terms.get(swap.id)
  if (reason === null || before?.failReason === reason || !terms) return
  const money = depositsOf(court.record, swap.id).filter(({ state }) => state === 'confirmed')
  const free = money.map((deposit) => {
    const { outputUnits, refundUnits } = commit.depositsBefore.get(deposit.id) ?? deposit
    return { deposit, units: deposit.units - outputUnits - refundUnits }
  })
  const total = free.reduce((sum, { units }) => sum + units, 0n)
  const wrong = doubts[reason]?.({ court, commit, swap, before, terms, free, total })
  if (wrong) accuse(court, `it says ${reason}, but ${wrong}`, swap.number)
}

interface Case {
  court: Court
  commit: Commit
  swap: SwapEntry
  before: SwapEntry | undefined
  terms: Terms
  /** The swap's deposits before this commit ordered anything. */
  free: { deposit: DepositEntry; units: bigint }[]
  total: bigint
}

const doubts: Record<string, (one: Case) => string | false> = {
  received_less_than_valid_range({ court, commit, swap, before, terms, free }) {
    const isLate = before?.status === 'expired' || commit.life.services.now().getTime() >= swap.expiresAtMs
    if (!isLate) return 'its window is open'
    const facts = factsOf(commit.life.services, terms)
    // A deposit above the maximum, which anyone may have sent, is refunded automatically and is not part of the
    // received amount.
    const isApart = ({ deposit, units }: (typeof free)[number]) =>
      court.rules.strangersNeverClose &&
      (terms.sourceAddress === null ? !terms.usesDepositAddress : !isOwn(court, terms, deposit)) &&
      facts !== null &&
      usdOf(terms.source, units, facts.sourcePrice) >= mostUsd(court)
    const total = free.reduce((sum, part) => (isApart(part) ? sum : sum + part.units), 0n)
    const usd = facts && usdOf(terms.source, total, facts.sourcePrice)
    const asked = court.rules.swapsWhatArrives ? null : terms.requestedUnits
    if (asked !== null) return total >= asked - 1n && `${total} of ${asked} came`
    return usd !== null && usd > leastUsd(court, facts?.networkFeeUsd ?? 0n) && `${total} came, which is enough`
  },
  received_more_than_valid_range({ court, commit, terms, free }) {
    const facts = factsOf(commit.life.services, terms)
    const sums =
      terms.requestedUnits === null
        ? [free.reduce((sum, { units }) => sum + units, 0n)]
        : free.map(({ units }) => units)
    if (!facts || !sums.some((units) => usdOf(terms.source, units, facts.sourcePrice) >= mostUsd(court)))
      return 'no deposit was above it'
    const hasOwn = free.some(({ deposit }) => isOwn(court, terms, deposit))
    return court.rules.strangersNeverClose && !hasOwn && 'it came from a stranger'
  },
  degraded_quote({ court, commit, swap, terms, free, total }) {
    const { config } = court.world.base
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
    const isEnough = today && usdOf(terms.source, units, today.sourcePrice) > leastUsd(court, today.networkFeeUsd)
    return isEnough === true && isNear(court, terms, today, units) && `${units} of it came in time`
  },
  insufficient_liquidity({ court, commit, terms, total }) {
    const asked = terms.requestedUnits
    const { quoted, now } = worths(court, commit, terms, asked !== null && asked < total ? asked : total)
    const most = [quoted, now].reduce(
      (most, worth) => (worth && worth.receiveUnits > most ? worth.receiveUnits : most),
      0n,
    )
    const free = freeUnits(court, commit, terms, null)
    const isShared = terms.refuel !== null && tokenKey(terms.refuel) === tokenKey(terms.destination)
    return free !== null && !isShared && most <= free && `${free} are free and ${most} wanted`
  },
  swap_route_unavailable({ commit, swap, before, terms }) {
    const isLate = before?.status === 'expired' || commit.life.services.now().getTime() >= swap.expiresAtMs
    if (!isLate) return 'its window is open'
    const isKnown = commit.life.services.market.balance(terms.destination) !== null
    return isKnown && factsOf(commit.life.services, terms) !== null && 'it can be priced'
  },
  payout_rejected({ court, swap }) {
    const outputs = [...court.record.payouts.values()].filter(
      ({ swapId, kind }) => swapId === swap.id && kind === 'output',
    )
    return !outputs.some(({ state }) => state === 'abandoned') && 'no output was given up'
  },
  deposit_lost({ court, swap }) {
    return (
      !depositsOf(court.record, swap.id).some(({ state }) => state === 'lost' || state === 'gone') &&
      'no deposit is gone'
    )
  },
}

function isOwn(court: Court, { usesDepositAddress, sourceAddress }: Terms, deposit: DepositEntry): boolean {
  return usesDepositAddress || sourceAddress === null || moveOf(court, deposit)?.from === sourceAddress
}

function dustUsd({ world }: Court): bigint {
  return BigInt(world.base.config.dustUsd) * 10n ** 18n
}

function mostUsd({ world }: Court): bigint {
  return BigInt(world.base.config.maxSwapUsd) * 10n ** 18n
}

/** A swap below this value may be below the minimum: the operator's, or twice its cost. */
function leastUsd({ world }: Court, networkFeeUsd: bigint): bigint {
  const { minSwapUsd, refuelUsd } = world.base.config
  return BigInt(minSwapUsd + refuelUsd) * 2n * 10n ** 18n + 2n * networkFeeUsd
}
