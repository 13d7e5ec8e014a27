/** The rules of a delivery: recipient, token, amount and price for the deposits that it uses, and its refuel. */
import { tokenKey } from '@causeway/core'
import { type DepositEntry, depositsOf, type PayoutEntry, type SwapEntry } from './commit-record.ts'
import { type Commit, numberOf, type OracleState, reportViolation } from './oracle-state.ts'
import { TOP_UP_PERCENT } from './rules.ts'
import { type Facts, factsOf, resizedTo, shortenedBy, type Terms, usdOf, type Worth, worthOf } from './terms.ts'

const BPS = 10_000n

/** The part of a deposit that an output uses, and what was left of the deposit before. */
interface Used {
  deposit: DepositEntry
  used: bigint
  had: bigint
}

export function judgeOutput(oracle: OracleState, commit: Commit, payout: PayoutEntry): void {
  const { record, terms: all } = oracle
  const [terms, swap] = [all.get(payout.swapId ?? ''), record.swaps.get(payout.swapId ?? '')]
  if (!terms || !swap) {
    reportViolation(oracle, `a ${payout.kind} was ordered for nobody's swap`)
    return
  }
  const must = (holds: boolean, what: string) => void (holds || reportViolation(oracle, what, swap.number))
  must(payout.to === terms.destinationAddress, `its ${payout.kind} was ordered to ${payout.to}`)
  const used = usedBy(oracle, commit, swap.id)
  const units = used.reduce((sum, { used }) => sum + used, 0n)
  must(
    used.every(({ deposit }) => deposit.state === 'confirmed'),
    `a ${payout.kind} was ordered for money that does not count`,
  )
  const today = factsOf(commit.life.services, terms)
  const price = priceFor(oracle, swap, terms, units, used, today)
  if (typeof price === 'string') {
    reportViolation(oracle, `its ${payout.kind}: ${price}`, swap.number)
    return
  }
  if (payout.kind === 'refuel') {
    const isRight = terms.refuel !== null && payout.token === tokenKey(terms.refuel)
    must(isRight && payout.network === terms.refuel?.network, 'a refuel was ordered that nobody asked for')
    must(payout.units === price.refuelUnits, `its refuel was ordered with ${payout.units}, not ${price.refuelUnits}`)
    return
  }
  must(!isAboveMaximum(oracle, terms, commit, used), 'more than the maximum is being delivered')
  const isToken = payout.network === terms.destination.network && payout.token === tokenKey(terms.destination)
  must(isToken, 'its output was ordered in another token')
  must(
    payout.units === price.receiveUnits,
    `its output was ordered with ${payout.units}; ${units} are worth ${price.receiveUnits}`,
  )
  const free = freeUnits(oracle, commit, terms, payout)
  must(free !== null && payout.units <= free, `${payout.units} were promised, and ${free} were free`)
}

/** The requested amount is always allowed; beyond that no deposit may exceed the operator's maximum. */
function isAboveMaximum(
  { world }: OracleState,
  { source, requestedUnits }: Terms,
  { life }: Commit,
  used: readonly Used[],
): boolean {
  const price = life.services.market.price(source) ?? 0n
  const most = BigInt(world.base.config.maxSwapUsd) * 10n ** 18n
  const sums =
    requestedUnits === null
      ? [used.reduce((sum, one) => sum + one.used, 0n)]
      : used.map(({ had }) => had).filter((units) => units > requestedUnits)
  return sums.some((units) => usdOf(source, units, price) > most)
}

/** The parts of the swap's deposits that an output ordered in this commit uses. */
function usedBy(oracle: OracleState, { depositsBefore }: Commit, swapId: string): Used[] {
  return depositsOf(oracle.record, swapId).flatMap((deposit) => {
    const before = depositsBefore.get(deposit.id) ?? deposit
    const used = deposit.outputUnits - before.outputUnits
    return used > 0n ? [{ deposit, used, had: deposit.units - before.outputUnits - before.refundUnits }] : []
  })
}

/** The amount that must be delivered; or, as text, why nothing may be delivered. */
function priceFor(
  oracle: OracleState,
  swap: SwapEntry,
  terms: Terms,
  units: bigint,
  used: readonly Used[],
  today: Facts | null,
): Worth | string {
  const { rules, world } = oracle
  const { config } = world.base
  const now = today && worthOf(terms, today, config, units)
  const { requestedUnits: asked, facts } = terms
  if (asked === null || facts === null) return now ?? 'what came is worth nothing'
  const isInTime = used.every(({ deposit }) => deposit.seenAtMs <= swap.quoteExpiresAtMs)
  const quoted = worthOf(terms, facts, config, asked)
  if (!quoted) return 'its quote was worth nothing'
  if (!rules.swapsWhatArrives) {
    if (units !== asked && units !== asked - 1n) return `${units} of ${asked} were used`
    if (isInTime) return units === asked ? quoted : { ...quoted, receiveUnits: shortenedBy(quoted, asked, 1n) }
    if (!now || now.receiveUnits < quoted.minReceiveUnits) return 'today it is worth less than was agreed to'
    return now
  }
  const isMeant = (sum: bigint) => sum * 100n >= asked * TOP_UP_PERCENT
  const inTime = used.filter(({ deposit }) => deposit.seenAtMs <= swap.quoteExpiresAtMs)
  const cameInTime = inTime.reduce((sum, one) => sum + one.had, 0n)
  if (!isMeant(units) && !isOver(oracle, swap) && !(isInTime && isMeant(cameTo(oracle, swap, used))))
    return `${units} of ${asked} were used too early`
  // Deposits in time are paid as quoted while the quote is near the market; the rest is swapped at the current price.
  const held = cameInTime < asked ? cameInTime : asked
  const isWhole = isInTime || isMeant(held)
  const firm = isWhole && today && isNear(oracle, terms, today, held) ? resizedTo(terms, config, held) : null
  if (firm && isInTime && units <= asked) return resizedTo(terms, config, units) ?? 'its quote was worth nothing'
  const along = today && worthOf(terms, today, config, units, firm?.networkFeeUnits ?? null)
  const least = resizedTo(terms, config, units)?.minReceiveUnits ?? 0n
  if (!along || along.receiveUnits < least) return 'today it is worth less than was agreed to'
  if (firm && along.receiveUnits < firm.receiveUnits) return 'what came in time is worth more as it was quoted'
  return along
}

/** Whether paying this amount as quoted costs us at most the operator's deviation more than at today's price. */
export function isNear({ rules, world }: OracleState, terms: Terms, today: Facts, units: bigint): boolean {
  const quoted = resizedTo(terms, world.base.config, units)
  const now = worthOf(terms, today, world.base.config, units)
  if (!quoted || !now) return false
  return quoted.receiveUnits * BPS <= now.receiveUnits * (BPS + rules.quoteDeviationBps)
}

/** All deposits of the swap, used or not. */
function cameTo({ record }: OracleState, { id }: SwapEntry, used: readonly Used[]): bigint {
  const others = depositsOf(record, id).filter(
    (deposit) => deposit.state === 'confirmed' && !used.some((one) => one.deposit.id === deposit.id),
  )
  return [...others, ...used.map(({ deposit }) => deposit)].reduce((sum, { units }) => sum + units, 0n)
}

/** Whether the window was over by the clock of any process. */
function isOver({ world }: OracleState, { expiresAtMs, status }: SwapEntry): boolean {
  const clocks = world.processes.map(({ life }) => life.services.now().getTime())
  return status === 'expired' || clocks.some((now) => now >= expiresAtMs)
}

/** The unreserved balance of the destination's wallet, as far as the deciding process knew. */
export function freeUnits(
  { record }: OracleState,
  { life, changes }: Commit,
  { destination }: Terms,
  ordered: PayoutEntry | null,
): bigint | null {
  const balance = life.services.market.balance(destination)
  if (!balance) return null
  const fresh = new Set(changes.flatMap(({ table, isNew, row }) => (table === 'payout' && isNew ? [row.id] : [])))
  const promised = [...record.payouts.values()].filter(
    ({ id, network, token, kind, state, confirmedAtMs }) =>
      id !== ordered?.id &&
      !fresh.has(id) &&
      network === destination.network &&
      token === tokenKey(destination) &&
      kind !== 'sweep' &&
      (state === 'open' || (state === 'confirmed' && (confirmedAtMs ?? 0) > balance.at.getTime())),
  )
  return promised.reduce((left, { units }) => left - units, balance.units)
}

/** The value of the swap's deposits at the quoted and at today's price, to check why an output was refused. */
export function worths(
  oracle: OracleState,
  commit: Commit,
  terms: Terms,
  units: bigint,
): { quoted: Worth | null; now: Worth | null } {
  const { config } = oracle.world.base
  const today = factsOf(commit.life.services, terms)
  return {
    quoted: terms.facts && worthOf(terms, terms.facts, config, units),
    now: today && worthOf(terms, today, config, units),
  }
}

export function nameOf(oracle: OracleState, payout: PayoutEntry): string {
  const number = numberOf(oracle, payout.swapId)
  return number === null ? `a ${payout.kind}` : `the ${payout.kind} of swap ${number}`
}
