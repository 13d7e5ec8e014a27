/** Any order of events around a sale and a purchase: the ledger balances, and nothing is paid twice. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { test } from 'vitest'
import { DESTINATION, depositOf, GAS, minutes, REFUEL, swapOf, usdc } from '../fixtures.ts'
import { AMOUNT, BOTH, BOUGHT, HUB, HUB_FEE, PURCHASE, quoteOf, SALE, SOLD, WALLET } from '../leg-fixtures.ts'
import type { Token } from '../money/network.ts'
import { advance } from './advance.ts'
import type { Payout } from './payout.ts'
import { type Pricing, paidUnits } from './quote.ts'
import { type Context, type Deposit, isClosed, type Swap, type SwapEvent } from './swap.ts'

/** Enough runs to meet every pair of rare events many times. */
const RUNS = Number(process.env.CORE_RUNS ?? 1000)
const DEPOSITS = ['a', 'b', 'c']

type Command =
  | { do: 'seen' | 'confirm'; deposit: number; share: number }
  | { do: 'gone'; deposit: number }
  | { do: 'start' | 'stop' | 'land' | 'abandon' | 'refuse' | 'undo'; payout: number; bps: number }
  | { do: 'correct'; bps: number }
  | { do: 'tick'; minutes: number }
  | { do: 'market'; pricing: 'good' | 'none' | 'dry'; isFeeKnown: boolean }

const deposit = fc.constantFrom(0, 0, 0, 1, 1, 2)
/** Percents of the request. */
const share = fc.constantFrom(1, 40, 60, 100, 100, 130)
const payoutCommand = fc.constantFrom('start', 'land', 'land', 'land', 'abandon', 'refuse', 'stop', 'undo', 'undo')
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('seen' as const, 'confirm' as const), deposit, share }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('gone' as const), deposit }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: payoutCommand as fc.Arbitrary<'start' | 'stop' | 'land' | 'abandon' | 'refuse' | 'undo'>,
      payout: fc.nat({ max: 3 }),
      bps: fc.constantFrom(10_000, 9_990, 9_955, 10_020, 9_000, 20_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('correct' as const), bps: fc.constantFrom(0, 4_000, 9_500, 9_999, 10_001) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const), minutes: fc.constantFrom(0, 1, 3, 400) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('market' as const),
      pricing: fc.constantFrom('good' as const, 'none' as const, 'dry' as const),
      isFeeKnown: fc.boolean(),
    }),
  },
)
const options = fc.record({
  route: fc.constantFrom(SALE, BOTH, PURCHASE),
  isOpen: fc.boolean(),
  hasRefuel: fc.boolean(),
})
type Options = typeof options extends fc.Arbitrary<infer T> ? T : never

test('in any order of events the ledger balances, at most one sale is active, and all money is settled', () => {
  fc.assert(
    fc.property(options, fc.array(command, { minLength: 4, maxLength: 40, size: 'max' }), (route, commands) => {
      const world = new World(route)
      for (const each of commands) world.run(each)
      world.comeToRest()
    }),
    { numRuns: RUNS },
  )
})

class World {
  swap: Swap
  now = 1
  readonly pricing: Pricing
  readonly amount: bigint
  context: Context
  readonly books = new Map<string, bigint>()

  constructor({ route, isOpen, hasRefuel }: Options) {
    this.pricing = { ...route, refuel: hasRefuel ? REFUEL : null }
    this.amount = route.sale ? AMOUNT : usdc(100)
    const asked = isOpen
      ? { requestedUnits: null, quote: null }
      : { requestedUnits: this.amount, quote: quoteOf(this.pricing, this.amount) }
    const { source, destination } = route
    this.swap = swapOf({ source, destination, ...asked, refuel: hasRefuel ? GAS : null, refundAddress: 'home' })
    this.context = {
      ...{ now: minutes(1), pricing: this.pricing, refundFeeUnits: this.amount / 500n, dustUnits: this.amount / 100n },
      ...{ quoteDeviationBps: 100n, topUpMs: 120_000, proceedsFeeUnits: HUB_FEE, sellingWallet: WALLET },
    }
  }

  run(command: Command): void {
    if (command.do === 'market') {
      const { pricing, isFeeKnown } = command
      this.context = {
        ...this.context,
        pricing: pricing === 'none' ? null : { ...this.pricing, ...(pricing === 'dry' && { liquidityUnits: 0n }) },
        refundFeeUnits: isFeeKnown ? this.amount / 500n : null,
        proceedsFeeUnits: isFeeKnown ? HUB_FEE : null,
      }
    } else if ('payout' in command) {
      const wanted = command.do === 'undo' ? 'confirmed' : 'open'
      const fitting = this.swap.payouts.filter(({ state }) => state === wanted)
      const payout = fitting[command.payout % (fitting.length || 1)]
      if (payout) this.pay(command.do, payout, BigInt(command.bps))
    } else if (command.do === 'correct') {
      const [sale] = this.active('sale')
      const units = ((sale?.receivedUnits ?? 0n) * BigInt(command.bps)) / 10_000n
      this.apply({ type: 'proceeds_corrected', units, from: WALLET })
    } else if (command.do === 'tick') {
      this.now += command.minutes
      this.context = { ...this.context, now: minutes(this.now) }
      this.apply({ type: 'tick' })
    } else this.apply(this.eventOf(command))
  }

  eventOf(command: Extract<Command, { deposit: number }>): SwapEvent {
    const depositId = DEPOSITS[command.deposit] ?? 'a'
    if (command.do === 'gone') return { type: 'deposit_gone', depositId }
    const known = this.swap.deposits.find(({ id }) => id === depositId)
    const units = known?.units ?? (this.amount * BigInt(command.share)) / 100n
    if (command.do === 'confirm') return { type: 'deposit_confirmed', depositId, units }
    return { type: 'deposit_seen', deposit: depositOf(depositId, units, { seenAt: minutes(this.now) }) }
  }

  pay(what: 'start' | 'stop' | 'land' | 'abandon' | 'refuse' | 'undo', payout: Payout, bps: bigint): void {
    const { kind, depositId } = payout
    const meant = { kind, depositId, number: this.swap.payouts.indexOf(payout) }
    const mark = (started: boolean) => {
      const payouts = this.swap.payouts.map((each, place) => (place === meant.number ? { ...each, started } : each))
      this.swap = { ...this.swap, payouts }
    }
    if (what === 'undo') {
      this.apply({ type: 'payout_undone', ...meant, from: WALLET })
      return
    }
    if (what === 'abandon' || what === 'refuse') {
      mark(false)
      this.apply({ type: 'payout_abandoned', ...meant, refused: what === 'refuse' })
      return
    }
    mark(what !== 'stop')
    if (what !== 'land') return
    const expected = kind === 'sale' ? (this.swap.quote?.legs?.sale?.outUnits ?? 0n) : (payout.leg?.minUnits ?? 0n)
    const received = payout.leg && { receivedUnits: (expected * bps + 9999n) / 10_000n }
    this.apply({ type: 'payout_confirmed', ...meant, from: WALLET, ...received })
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
      for (const { account, token, units } of entries) {
        const key = keyOf(account, token)
        this.books.set(key, (this.books.get(key) ?? 0n) + units)
      }
    }
    this.checkPayouts(before, event)
    this.checkVoided(before, event)
    this.checkOutput(before)
    this.checkUse()
    this.checkBooks()
    this.checkStatus()
  }

  checkPayouts(before: Swap, event: SwapEvent): void {
    for (const kind of ['sale', 'output', 'refuel'] as const)
      must(this.active(kind).length <= 1, `at most one ${kind} is active`)
    must(!(this.active('output').length > 0 && this.active('refund').length > 0), 'an output excludes a refund')
    for (const [place, old] of before.payouts.entries()) {
      const { units, to, token, state } = this.swap.payouts[place] ?? fail()
      must(units === old.units && to === old.to && token === old.token, 'an order is never altered')
      const isReported = event.type === 'payout_abandoned' && event.number === place
      const isStruck = old.state === 'open' && state === 'abandoned'
      must(!isStruck || isReported || !old.started, 'what was started is struck out only on proof')
      must(!(old.state === 'abandoned' && state !== 'abandoned'), 'a voided payout stays voided')
    }
    for (const { units, to, kind, token } of this.swap.payouts.slice(before.payouts.length)) {
      must(units > 0n, 'a payout pays something')
      const wanted = { sale: WALLET, output: 'recipient', refuel: 'recipient' } as Record<string, string>
      must(to === (wanted[kind] ?? 'home'), 'money goes only where it belongs')
      must(
        kind !== 'sale' || this.swap.payouts.every((each) => each.kind !== 'output' || each.state === 'abandoned'),
        'a sale comes before the output',
      )
      must(token === this.swap.source || token !== BOUGHT, 'we never pay a token that we do not hold')
    }
  }

  /** A payout that was not started is voided when its money is gone: by a reorg of the sale, or of a sold deposit. */
  checkVoided(before: Swap, event: SwapEvent): void {
    const waits = ({ kind, depositId, state, started, token }: Payout) =>
      state === 'open' && !started && (kind === 'output' || (depositId !== null && token === HUB))
    const waiting = this.pricing.sale ? this.swap.payouts.filter(waits) : []
    if (event.type === 'payout_undone' && event.kind === 'sale')
      must(this.active('sale')[0]?.state !== 'open' || waiting.length === 0, 'nothing is begun without proceeds')
    const { deposits } = this.swap
    const wasSold = (id: string) =>
      before.deposits.some((each) => each.id === id && each.state === 'confirmed' && each.outputUnits > 0n)
    // A payout whose transaction failed after the loss is open again, too. The gate holds it.
    const isLostNow = deposits.some(({ id, state }) => state !== 'confirmed' && wasSold(id))
    if (!isLostNow || waiting.length === 0) return
    const sold = sumOf(deposits, ({ outputUnits }) => outputUnits)
    const kept = sumOf(deposits, ({ outputUnits, state }) => (state === 'confirmed' ? outputUnits : 0n))
    must(this.spentProceeds() * sold <= this.proceeds() * kept, 'the share of a lost deposit is not refunded')
  }

  /** The output follows a confirmed sale, and gives the recipient at least the minimum. */
  checkOutput(before: Swap): void {
    const output = this.swap.payouts.slice(before.payouts.length).find(({ kind }) => kind === 'output')
    if (!output) return
    const quote = this.swap.quote ?? fail()
    must(output.units === paidUnits(quote), 'what is paid is what the quote says')
    must((output.leg?.minUnits ?? output.units) >= quote.minReceiveUnits, 'the recipient gets the minimum')
    const [sale] = this.active('sale')
    must(!quote.legs?.sale || sale?.state === 'confirmed', 'the sale comes first')
    if (this.swap.requestedUnits === null) return
    const agreed = quoteOf(this.pricing, this.amount)
    const least = (agreed.minReceiveUnits * quote.requestedUnits) / this.amount
    if (quote.requestedUnits >= this.amount) must(quote.minReceiveUnits >= least - 2n, 'the promise is kept')
  }

  checkUse(): void {
    for (const { outputUnits, refundUnits, units, state, id } of this.swap.deposits) {
      must(outputUnits >= 0n && refundUnits >= 0n && outputUnits + refundUnits <= units, 'no unit is used twice')
      const back = this.standing().filter(({ depositId, token }) => depositId === id && token === this.swap.source)
      must(sumOf(back, (each) => each.units + each.feeUnits) <= refundUnits, 'what goes back was deposited')
      must(
        outputUnits + refundUnits === 0n || state === 'confirmed' || state === 'lost',
        'only confirmed money is used',
      )
    }
  }

  checkBooks(): void {
    const { deposits, payouts, source } = this.swap
    const confirmed = deposits.filter(({ state }) => state === 'confirmed')
    const lost = deposits.filter(({ state }) => state === 'lost')
    must(this.balance('customer', source) === -sumOf(confirmed, unspentOf), 'unspent money is owed')
    must(
      this.balance('loss', source) === sumOf(lost, (each) => each.units - unspentOf(each)),
      'what was lost was spent',
    )
    if (this.pricing.sale)
      must(this.balance('customer', HUB) === this.spentProceeds() - this.proceeds(), 'proceeds are owed')
    for (const token of [SOLD, BOUGHT, HUB, DESTINATION, GAS]) {
      const paid = payouts.filter((each) => each.state === 'confirmed' && each.token === token)
      const open = payouts.filter((each) => each.state === 'open' && each.token === token)
      const sales = payouts.filter((each) => each.kind === 'sale' && each.state === 'confirmed' && token === HUB)
      const came = token === source ? sumOf(confirmed, ({ units }) => units) : 0n
      const brought = sumOf(sales, ({ receivedUnits }) => receivedUnits ?? 0n)
      must(this.balance('wallet', token) === came + brought - sumOf(paid, ({ units }) => units), 'the wallet is right')
      must(this.balance('promised', token) === -sumOf(open, ({ units }) => units), 'open payouts are promised')
      const accounts = ['wallet', 'customer', 'promised', 'exchange', 'fees', 'loss']
      must(sumOf(accounts, (account) => this.balance(account, token)) === 0n, 'the books balance')
      must(this.balance('fees', token) <= 0n, 'fees are earned, not paid')
    }
  }

  /** The proceeds of the sale; if it was never made after its money was spent, the amount that we cover. */
  proceeds(): bigint {
    const [sale] = this.active('sale')
    if (sale) return sale.state === 'confirmed' ? (sale.receivedUnits ?? 0n) : 0n
    const isUsed = this.swap.deposits.some(({ outputUnits }) => outputUnits > 0n)
    return isUsed ? (this.swap.quote?.legs?.sale?.outUnits ?? 0n) : 0n
  }

  spentProceeds(): bigint {
    const { quote } = this.swap
    const outUnits = quote?.legs?.sale?.outUnits ?? 0n
    const refuel = quote ? (quote.refuelInSourceUnits * outUnits) / quote.requestedUnits : 0n
    const back = this.standing().filter(({ depositId, token }) => depositId !== null && token === HUB)
    const delivered = this.active('output').length > 0 ? outUnits - refuel : 0n
    const fuelled = this.active('refuel').length > 0 ? refuel : 0n
    return delivered + fuelled + sumOf(back, ({ units, feeUnits }) => units + feeUnits)
  }

  checkStatus(): void {
    const { status, closedAt } = this.swap
    const [[output], [sale]] = [this.active('output'), this.active('sale')]
    if (status === 'completed') must(output !== undefined, 'completed means delivered')
    if (status === 'ls_transfer_pending') must(output !== undefined || sale?.state === 'open', 'paying means ordered')
    if (status === 'user_transfer_pending' || status === 'expired')
      must(!output && !sale && this.active('refund').length === 0, 'nothing is promised while it waits')
    must((closedAt !== null) === isClosed(status), 'a closed swap has a date')
  }

  /** Everything recovers: prices and gas are known, and all payouts are mined. */
  comeToRest(): void {
    this.run({ do: 'market', pricing: 'good', isFeeKnown: true })
    this.context = { ...this.context, refundFeeUnits: 0n, proceedsFeeUnits: 0n }
    for (const { id, units } of this.swap.deposits.filter(({ state }) => state === 'seen'))
      this.apply({ type: 'deposit_confirmed', depositId: id, units })
    this.run({ do: 'tick', minutes: 400 })
    for (let round = 0; round < 8; round++) {
      this.apply({ type: 'refund_address_given', address: 'home', depositIds: DEPOSITS })
      for (const payout of this.swap.payouts) if (payout.state === 'open') this.land(payout)
      this.run({ do: 'tick', minutes: 31 })
    }
    must(
      this.swap.payouts.every(({ state }) => state !== 'open'),
      'nothing is open any more',
    )
    must(isClosed(this.swap.status), `it rests as ${this.swap.status}`)
    must(this.balance('customer', this.swap.source) === 0n, 'all deposits are settled')
    if (this.swap.deposits.some(({ state }) => state === 'lost')) return
    // A sale that was mined again at a worse price, after its proceeds were spent, is our loss.
    must(this.balance('customer', HUB) >= 0n, 'all proceeds are settled')
  }

  land(payout: Payout): void {
    const current = this.swap.payouts.find(
      ({ kind, depositId, state }) => kind === payout.kind && depositId === payout.depositId && state === 'open',
    )
    if (current) this.pay('land', current, 10_000n)
  }

  standing(): Payout[] {
    return this.swap.payouts.filter(({ state }) => state !== 'abandoned')
  }

  active(kind: Payout['kind']): Payout[] {
    return this.standing().filter((payout) => payout.kind === kind)
  }

  balance(account: string, token: Token): bigint {
    return this.books.get(keyOf(account, token)) ?? 0n
  }
}

function keyOf(account: string, token: Token): string {
  return `${account} ${token.network} ${token.contract}`
}

function must(holds: boolean, guarantee: string): void {
  if (!holds) throw new Error(`broken: ${guarantee}`)
}

function unspentOf({ units, outputUnits, refundUnits }: Deposit): bigint {
  return units - outputUnits - refundUnits
}

function sumOf<T>(items: readonly T[], unitsOf: (item: T) => bigint): bigint {
  return items.reduce((sum, item) => sum + unitsOf(item), 0n)
}

function fail(): never {
  throw new Error('missing in the example')
}
