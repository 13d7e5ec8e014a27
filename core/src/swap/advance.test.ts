/**
 * `advance` under random swaps and random events, in any order and repeated, with payouts started in between. After
 * every step the ledger must agree with the swap, and no unit may be used twice.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { test } from 'vitest'
import { DESTINATION, depositOf, GAS, minutes, PRICING, quoted, REFUEL, SOURCE, swapOf, usdc } from '../fixtures.ts'
import { checkKept } from '../fixtures-kept.ts'
import type { Token } from '../money/network.ts'
import { advance } from './advance.ts'
import type { Payout, PayoutKind } from './payout.ts'
import { type Pricing, totalFee } from './quote.ts'
import { type Context, type Deposit, isClosed, type Swap, type SwapEvent } from './swap.ts'

/** Enough runs to meet every pair of rare events many times; takes about five seconds. */
const RUNS = Number(process.env.CORE_RUNS ?? 3000)
const DEPOSITS = ['a', 'b', 'c', 'd']

/** Deposit amounts: dust, below the minimum, parts, one unit short, exact, excess below and above the gas, too much. */
const AMOUNTS = [0.01, 1.5, 9, 60, 91, 99.999999, 100, 100.2, 130, 1200].map(usdc)

type Command =
  | { do: 'seen'; deposit: number; units: bigint; from: string | null }
  | { do: 'confirm'; deposit: number; units: bigint | null }
  | { do: 'gone'; deposit: number }
  | { do: 'start' | 'stop' | 'land' | 'abandon' | 'refuse'; payout: number }
  | { do: 'tick'; minutes: number }
  | { do: 'address'; deposit: number }
  | { do: 'market'; pricing: 'good' | 'none' | 'poor' | 'dry'; fee: bigint | null }

/** Few deposits, many events each, and mostly open payouts, so that rare states occur. */
const deposit = fc.constantFrom(0, 0, 0, 1, 1, 2, 3)
const payout = fc.nat({ max: 3 })
const units = fc.constantFrom(...AMOUNTS)
const from = fc.constantFrom('sender', 'sender', 'stranger', null)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('seen' as const), deposit, units, from }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('confirm' as const), deposit, units: fc.option(units, { freq: 8 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('gone' as const), deposit }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('start', 'start', 'land', 'abandon', 'refuse', 'stop'), payout }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const), minutes: fc.constantFrom(0, 1, 2, 9, 400) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('address' as const), deposit }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('market' as const),
      pricing: fc.constantFrom('good', 'good', 'none', 'poor', 'dry'),
      fee: fc.constantFrom(usdc(0.3), usdc(0.3), 0n, usdc(70), null),
    }),
  },
)

const start = fc.record({
  isOpen: fc.boolean(),
  usesDepositAddress: fc.boolean(),
  sourceAddress: fc.constantFrom('sender', null),
  refundAddress: fc.constantFrom('home', null),
  hasRefuel: fc.boolean(),
})

test('in any order of events the ledger balances, no unit is used twice, and all money is settled', () => {
  fc.assert(
    fc.property(start, fc.array(command, { minLength: 4, maxLength: 40, size: 'max' }), (options, commands) => {
      const world = new World(options)
      for (const each of commands) world.run(each)
      world.comeToRest()
    }),
    { numRuns: RUNS },
  )
})

type Options = typeof start extends fc.Arbitrary<infer T> ? T : never

class World {
  swap: Swap
  now = 1
  readonly pricing: Pricing
  context: Context
  readonly books = new Map<string, bigint>()
  /** Deposits named in an alert. */
  told = new Set<string>()

  constructor(options: Options) {
    const { isOpen, hasRefuel, ...rest } = options
    this.pricing = { ...PRICING, refuel: hasRefuel ? REFUEL : null }
    const amount = isOpen
      ? { requestedUnits: null, quote: null }
      : { requestedUnits: usdc(100), quote: quoted(usdc(100), this.pricing) }
    this.swap = swapOf({ ...rest, ...amount, refuel: hasRefuel ? GAS : null })
    this.context = {
      now: minutes(1),
      pricing: this.pricing,
      refundFeeUnits: usdc(0.3),
      dustUnits: usdc(1),
      quoteDeviationBps: 100n,
      topUpMs: 120_000,
    }
  }

  run(command: Command): void {
    if (command.do === 'market') {
      this.context = { ...this.context, pricing: this.market(command.pricing), refundFeeUnits: command.fee }
    } else if ('payout' in command) {
      const open = this.swap.payouts.filter(({ state }) => state === 'open')
      this.pay(command.do, open[command.payout % (open.length || 1)])
    } else {
      if (command.do === 'tick') this.now += command.minutes
      this.context = { ...this.context, now: minutes(this.now) }
      this.apply(this.eventOf(command))
    }
  }

  eventOf(command: Exclude<Command, { payout: number } | { do: 'market' }>): SwapEvent {
    if (command.do === 'tick') return { type: 'tick' }
    const depositId = DEPOSITS[command.deposit] ?? 'a'
    if (command.do === 'address')
      return { type: 'refund_address_given', address: `said for ${depositId}`, depositIds: [depositId] }
    if (command.do === 'gone') return { type: 'deposit_gone', depositId }
    if (command.do === 'confirm') {
      const known = this.swap.deposits.find(({ id }) => id === depositId)
      return { type: 'deposit_confirmed', depositId, units: command.units ?? known?.units ?? 1n }
    }
    const { from, units } = command
    return { type: 'deposit_seen', deposit: depositOf(depositId, units, { from, seenAt: minutes(this.now) }) }
  }

  /** Reports to the swap what the payer did with a payout. */
  pay(what: 'start' | 'stop' | 'land' | 'abandon' | 'refuse', payout: Payout | undefined): void {
    if (payout?.state !== 'open') return
    const { kind, depositId } = payout
    const meant = { kind, depositId, number: this.swap.payouts.indexOf(payout) }
    if (what === 'abandon' || what === 'refuse') {
      this.apply({ type: 'payout_abandoned', ...meant, refused: what === 'refuse' })
      return
    }
    const payouts = this.swap.payouts.map((each) => (each === payout ? { ...each, started: what !== 'stop' } : each))
    this.swap = { ...this.swap, payouts }
    if (what === 'land') this.apply({ type: 'payout_confirmed', ...meant, from: 'treasury' })
  }

  market(state: 'good' | 'none' | 'poor' | 'dry'): Pricing | null {
    if (state === 'none') return null
    if (state === 'poor') return { ...this.pricing, sourcePrice: (this.pricing.sourcePrice * 9n) / 10n }
    return state === 'dry' ? { ...this.pricing, liquidityUnits: usdc(5) } : this.pricing
  }

  apply(event: SwapEvent): void {
    const before = this.swap
    const step = advance(before, event, this.context)
    const again = advance(step.swap, event, this.context)
    must(
      isDeepStrictEqual(again.swap, step.swap) && again.postings.length === 0,
      'an event that comes twice counts once',
    )
    this.swap = step.swap
    for (const { entries } of step.postings) {
      for (const { account, token, units } of entries) this.book(account, token, units)
    }
    this.noteAlerts(step.alerts)
    this.checkPayouts(before, event)
    this.checkStatus(before, event)
    this.checkUse()
    checkKept(before, step, this.context)
    this.checkBooks()
    this.checkNothingForgotten(event)
    this.checkTerms(before)
    this.checkTime(before, step.dueAt)
  }

  /** An output pays out everything that was used for it, and never less than the user agreed to. */
  checkTerms(before: Swap): void {
    const output = this.swap.payouts.slice(before.payouts.length).find(({ kind }) => kind === 'output')
    const { quote, requestedUnits } = this.swap
    if (!output || !quote) return
    must(output.units === quote.receiveUnits, 'what is paid is what the quote says')
    if (requestedUnits === null) return
    const agreed = quoted(requestedUnits, this.pricing)
    const rate = (each: typeof quote) => each.requestedUnits - each.refuelInSourceUnits - totalFee(each)
    // Exact to the unit: the quoted rate less the slippage, on the deposit after fees.
    const least = (agreed.receiveUnits * rate(quote) * 99n) / (rate(agreed) * 100n)
    must(quote.receiveUnits + 2n >= least, 'the rate is inside the slippage')
    const inTime = freeOf(before).filter(({ cameAt }) => cameAt <= before.quoteExpiresAt)
    const isFirm = this.context.pricing?.sourcePrice === this.pricing.sourcePrice
    const asQuoted =
      isFirm && sumOf(inTime, unspentOf) >= requestedUnits && !inTime.some(({ units }) => units > usdc(1000))
    must(!asQuoted || quote.receiveUnits >= agreed.receiveUnits, 'who paid in time gets what was quoted')
    must(quote.requestedUnits >= requestedUnits - 1n || this.isShortAllowed(before), 'a part is not swapped early')
  }

  /** The window is over, or nearly all arrived and the rest is late or worth less today. */
  isShortAllowed({ status, expiresAt, requestedUnits }: Swap): boolean {
    const { now, topUpMs, refundFeeUnits } = this.context
    const asked = requestedUnits ?? 0n
    const came = this.swap.deposits.filter(({ outputUnits }) => outputUnits > 0n)
    const isNearly = sumOf(came, ({ outputUnits }) => outputUnits) * 10n >= asked * 9n
    const rests = (each: Deposit) => (each.confirmedAt?.getTime() ?? 0) + topUpMs <= now.getTime()
    const isRested = came.every((each) => each.units <= (refundFeeUnits ?? 0n) || rests(each))
    const confirmed = this.swap.deposits.filter(({ state }) => state === 'confirmed')
    const isPaid = sumOf(confirmed, ({ units }) => units) >= asked - 1n
    return status === 'expired' || now >= expiresAt || (isNearly && (isRested || isPaid))
  }

  /** If a tick can decide about a swap's deposits, the swap has a due time. */
  checkTime(before: Swap, dueAt: Date | null): void {
    const { status, requestedUnits } = this.swap
    const free = sumOf(freeOf(this.swap), unspentOf)
    const isNearly = requestedUnits === null || free * 10n >= requestedUnits * 9n
    if (free > 0n && (status === 'expired' || (status === 'user_transfer_pending' && isNearly)))
      must(dueAt !== null, `money of a swap that is ${before.status} and then ${status} has its time`)
  }

  noteAlerts(alerts: string[]): void {
    const free = freeOf(this.swap).map(({ id }) => id)
    if (alerts.includes('a deposit is held and owed')) for (const id of free) this.told.add(id)
    for (const id of this.told) if (!free.includes(id)) this.told.delete(id)
  }

  checkPayouts(before: Swap, event: SwapEvent): void {
    const once = this.standing().filter(({ kind, state }) => kind !== 'return' || state === 'open')
    const kinds = once.map(({ kind, depositId }) => `${kind} ${depositId}`)
    must(new Set(kinds).size === kinds.length, 'one payout of a kind stands, one return goes after the other')
    must(!(this.stands('output') && this.stands('refund')), 'an output and a refund exclude each other')
    for (const [place, old] of before.payouts.entries()) {
      const payout = this.swap.payouts[place]
      const { state, refused, isRefusalCleared } = old
      const asOrdered = { ...payout, state, refused, isRefusalCleared }
      must(payout !== undefined && isDeepStrictEqual(asOrdered, old), 'an order is never altered')
      const isCleared = payout?.isRefusalCleared !== isRefusalCleared
      must(!isCleared || (event.type === 'refund_address_given' && refused), 'only a word lifts what was refused')
      must(old.state === 'open' || payout?.state === old.state, 'a settled payout stays settled')
      const reported = event.type === 'payout_abandoned' && event.kind === old.kind && event.depositId === old.depositId
      const struck = old.state === 'open' && payout?.state === 'abandoned'
      must(!struck || reported || !old.started, 'what was started is struck out only on proof')
    }
    for (const { units } of this.swap.payouts) must(units > 0n, 'a payout pays something')
    must(this.swap.refundAddress === before.refundAddress, 'nobody gives an address for the whole swap')
    for (const { to, depositId } of this.swap.payouts)
      must(
        !to.startsWith('said for') || to === `said for ${depositId}`,
        'an address is for the deposit it was said for',
      )
  }

  checkStatus(before: Swap, event: SwapEvent): void {
    const { status, failReason, closedAt } = this.swap
    const ordered = this.swap.payouts.slice(before.payouts.length)
    if (before.status === 'completed' || before.status === 'failed' || before.status === 'refunded') {
      must(status === before.status, 'a terminal status stays')
      must(!ordered.some(({ kind }) => kind === 'output' || kind === 'refuel'), 'a closed swap delivers nothing more')
    }
    if (before.status === 'expired' && status !== 'expired') {
      must(event.type === 'deposit_confirmed' || freeOf(before).length > 0, 'only money re-opens an expired swap')
    }
    const output = this.standing().find(({ kind }) => kind === 'output')
    if (status === 'completed') must(output?.state === 'confirmed', 'completed means delivered')
    if (status === 'refunded') must(this.stands('refund') && !output, 'refunded means refunded')
    if (status === 'ls_transfer_pending') must(output !== undefined, 'paying out means an output stands')
    if (status === 'user_transfer_pending' || status === 'expired') {
      must(
        this.standing().every(({ kind }) => kind === 'return'),
        'nothing is promised while it waits',
      )
    }
    if (status === 'user_transfer_pending' || status === 'ls_transfer_pending')
      must(failReason === null, 'no failure yet')
    if (status === 'pending_refund') must(freeOf(this.swap).length > 0, 'something is owed')
    if (failReason === 'received_more_than_valid_range' && failReason !== before.failReason) {
      const { usesDepositAddress, sourceAddress } = this.swap
      const isOwn = ({ from }: Deposit) => usesDepositAddress || (sourceAddress !== null && from === sourceAddress)
      must(
        freeOf(before)
          .concat(this.swap.deposits)
          .some((each) => isOwn(each) && each.units > usdc(1000)),
        'no stranger fails a swap',
      )
    }
    must((closedAt !== null) === isClosed(status), 'a closed swap has a date')
  }

  checkUse(): void {
    const { quote, deposits } = this.swap
    for (const each of deposits) {
      const used = each.outputUnits + each.refundUnits
      must(each.outputUnits >= 0n && each.refundUnits >= 0n && used <= each.units, 'no unit is used twice')
      const back = this.standing().filter(({ depositId }) => depositId === each.id)
      must(sumOf(back, ({ units, feeUnits }) => units + feeUnits) <= each.refundUnits, 'what goes back was deposited')
      must(used === 0n || each.state === 'confirmed' || each.state === 'lost', 'only confirmed money is used')
    }
    const refuel = quote?.refuelInSourceUnits ?? 0n
    const output = this.stands('output') ? (quote?.requestedUnits ?? 0n) - refuel : 0n
    const delivered = output + (this.stands('refuel') ? refuel : 0n)
    must(sumOf(deposits, ({ outputUnits }) => outputUnits) === delivered, 'what is delivered was deposited')
  }

  checkBooks(): void {
    const { deposits, payouts } = this.swap
    const confirmed = deposits.filter(({ state }) => state === 'confirmed')
    const lost = deposits.filter(({ state }) => state === 'lost')
    must(this.balance('customer') === -sumOf(freeOf(this.swap), unspentOf), 'unspent money is owed to the customer')
    must(this.balance('loss') === sumOf(lost, (each) => each.units - unspentOf(each)), 'what was lost was spent')
    for (const token of [SOURCE, DESTINATION, GAS]) {
      const of = (wanted: string) => payouts.filter((each) => each.state === wanted && each.token === token)
      const came = token === SOURCE ? sumOf(confirmed, ({ units }) => units) : 0n
      must(this.balance('wallet', token) === came - sumOf(of('confirmed'), ({ units }) => units), 'the wallet is right')
      must(this.balance('promised', token) === -sumOf(of('open'), ({ units }) => units), 'open payouts are promised')
      const accounts = ['wallet', 'customer', 'promised', 'exchange', 'fees', 'loss']
      must(sumOf(accounts, (account) => this.balance(account, token)) === 0n, 'the books balance')
    }
    must(this.balance('fees') <= 0n, 'fees are earned, not paid')
  }

  checkNothingForgotten(event: SwapEvent): void {
    const { status, expiresAt } = this.swap
    const { pricing, refundFeeUnits } = this.context
    const isHeld = status === 'user_transfer_pending' || status === 'pending_refund'
    for (const { id } of freeOf(this.swap)) must(isHeld || this.told.has(id), 'no money lies there unnoticed')
    const onItsWay = this.swap.deposits.some(({ state, seenAt }) => state === 'seen' && seenAt < expiresAt)
    const canDecide = this.context.now >= expiresAt && (!pricing || refundFeeUnits !== null) && !onItsWay
    const asksAgain = this.context.now.getTime() - (this.swap.repriceSince?.getTime() ?? 0) < 30 * 60_000
    if (event.type === 'tick' && canDecide && !asksAgain)
      must(status !== 'user_transfer_pending', 'the window closes, and a price is not asked for ever')
  }

  /** Everything recovers: prices and gas are known, an address is given, and broadcast payouts are mined. */
  comeToRest(): void {
    this.run({ do: 'market', pricing: 'good', fee: 0n })
    for (const { id, units } of this.swap.deposits.filter(({ state }) => state === 'seen')) {
      this.apply({ type: 'deposit_confirmed', depositId: id, units })
    }
    this.run({ do: 'tick', minutes: 400 })
    for (let round = 0; round < 4; round++) {
      this.apply({ type: 'refund_address_given', address: `rest ${round}`, depositIds: DEPOSITS })
      for (const payout of this.swap.payouts)
        this.pay(
          'land',
          this.swap.payouts.find((each) => sameOrder(each, payout)),
        )
      this.run({ do: 'tick', minutes: 1 })
    }
    must(
      this.swap.payouts.every(({ state }) => state !== 'open'),
      'nothing is open any more',
    )
    must(freeOf(this.swap).length === 0, 'all money is accounted for')
    must(isClosed(this.swap.status), `it rests as ${this.swap.status}`)
  }

  standing(): Payout[] {
    return this.swap.payouts.filter(({ state }) => state !== 'abandoned')
  }

  stands(kind: PayoutKind): boolean {
    return this.standing().some((payout) => payout.kind === kind)
  }

  book(account: string, token: Token, units: bigint): void {
    const key = `${account} ${token.network} ${token.symbol}`
    this.books.set(key, (this.books.get(key) ?? 0n) + units)
  }

  balance(account: string, token: Token = SOURCE): bigint {
    return this.books.get(`${account} ${token.network} ${token.symbol}`) ?? 0n
  }
}

/** A plain check: an assertion library would be too slow for millions of calls. */
function must(holds: boolean, guarantee: string): void {
  if (!holds) throw new Error(`broken: ${guarantee}`)
}

function sameOrder(a: Payout, b: Payout): boolean {
  return a.kind === b.kind && a.depositId === b.depositId && a.state === 'open'
}

function freeOf(swap: Swap): Deposit[] {
  return swap.deposits.filter((deposit) => deposit.state === 'confirmed' && unspentOf(deposit) > 0n)
}

function unspentOf({ units, outputUnits, refundUnits }: Deposit): bigint {
  return units - outputUnits - refundUnits
}

function sumOf<T>(items: readonly T[], unitsOf: (item: T) => bigint): bigint {
  return items.reduce((sum, item) => sum + unitsOf(item), 0n)
}
