/** Test data of this package: two networks, round prices, and a swap of 100 USDC. */

import { ONE } from './money/money.ts'
import type { Network, Token } from './money/network.ts'
import { advance } from './swap/advance.ts'
import type { Posting } from './swap/ledger.ts'
import { type Pricing, type Quote, quoteFor } from './swap/quote.ts'
import type { Context, Deposit, Step, Swap, SwapEvent } from './swap/swap.ts'
import { TOP_UP_MS } from './swap/waiting.ts'

const START = new Date('2026-01-01T00:00:00Z')
export const TREASURY = 'treasury'

export function tokenOf(fields: Partial<Token>): Token {
  return {
    network: 'ALPHA',
    symbol: 'USDC',
    displayAsset: 'USDC',
    contract: '0xalpha',
    decimals: 6,
    precision: 4,
    group: 'USDC',
    listingDate: '2026-01-01',
    sourceRank: 0,
    destinationRank: 0,
    ...fields,
  }
}

export const SOURCE = tokenOf({})
export const DESTINATION = tokenOf({ network: 'BETA', contract: '0xbeta' })
export const GAS = tokenOf({ network: 'BETA', symbol: 'ETH', contract: null, decimals: 18, precision: 8, group: 'ETH' })

export function networkOf(fields: Partial<Network>): Network {
  return {
    name: 'ALPHA',
    displayName: 'Alpha',
    type: 'evm',
    chainId: '1',
    nodes: [],
    transactionExplorer: '',
    accountExplorer: '',
    listingDate: '2026-01-01',
    sourceRank: 0,
    destinationRank: 0,
    nativeToken: GAS,
    tokens: [GAS, SOURCE],
    confirmations: [],
    finalDepth: 64,
    pollMs: 1000,
    settings: {},
    ...fields,
  }
}

/** USDC in base units, or dollars with 18 decimals. Fractions are allowed. */
export const usdc = (whole: number): bigint => BigInt(Math.round(whole * 1e6))
export const dollars = (whole: number): bigint => usdc(whole) * 10n ** 12n

/** Fees of 0.5 + 0.1 and 10 bps: of 100, 99.3 are delivered. A refund costs 0.3. */
export const PRICING: Pricing = {
  source: SOURCE,
  destination: DESTINATION,
  sourcePrice: ONE,
  destinationPrice: ONE,
  blockchainFeeUsd: dollars(0.5),
  serviceFeeBps: 10n,
  serviceFeeUsd: dollars(0.1),
  minUsd: dollars(2),
  maxUsd: dollars(1000),
  liquidityUnits: usdc(10_000),
  refuel: null,
}
/**
 * The price fell by more than the slippage but less than the quote deviation, so an excess is returned instead of
 * swapped.
 */
export const FALLEN: Pricing = { ...PRICING, sourcePrice: (ONE * 98n) / 100n }
export const REFUEL = { token: GAS, units: 5n * 10n ** 14n, usd: dollars(1) }
export const REFUND_FEE = usdc(0.3)
const SLIPPAGE = ONE / 100n

export function quoted(units: bigint, pricing: Pricing = PRICING): Quote {
  const quote = quoteFor(pricing, units, SLIPPAGE)
  if (!quote) throw new Error('no quote for the example')
  return quote
}

/** A swap of 100 USDC. The quote is valid for 10 minutes, the deposit window for 6 hours. */
export function swapOf(fields: Partial<Swap> = {}): Swap {
  return {
    id: 'swap',
    source: SOURCE,
    destination: DESTINATION,
    refuel: null,
    status: 'user_transfer_pending',
    failReason: null,
    destinationAddress: 'recipient',
    sourceAddress: null,
    refundAddress: null,
    usesDepositAddress: false,
    usesDepository: false,
    usesGasless: false,
    requestedUnits: usdc(100),
    slippage: SLIPPAGE,
    quote: quoted(usdc(100)),
    originalQuote: null,
    quoteExpiresAt: minutes(10),
    repriceSince: null,
    expiresAt: minutes(360),
    closedAt: null,
    deposits: [],
    payouts: [],
    ...fields,
  }
}

export function minutes(after: number): Date {
  return new Date(START.getTime() + after * 60_000)
}

export function depositOf(id: string, units: bigint, fields: Partial<Deposit> = {}): Deposit {
  const fresh = { state: 'seen', outputUnits: 0n, refundUnits: 0n, refundAddress: null } as const
  const seenAt = fields.seenAt ?? minutes(1)
  const times = { seenAt, cameAt: seenAt, confirmedAt: null }
  return { id, units, from: 'sender', to: TREASURY, ...times, ...fresh, ...fields }
}

/** Records the postings and alerts of a swap, for tests with several events. */
export class Story {
  swap: Swap
  context: Context
  alerts: string[] = []
  postings: Posting[] = []
  /** The latest step. */
  step: Step

  constructor(fields: Partial<Swap> = {}, context: Partial<Context> = {}) {
    this.swap = swapOf(fields)
    this.step = { swap: this.swap, postings: [], alerts: [], oldPrice: null, dueAt: null }
    const rules = { topUpMs: TOP_UP_MS, quoteDeviationBps: 300n }
    this.context = {
      now: minutes(1),
      pricing: PRICING,
      refundFeeUnits: REFUND_FEE,
      dustUnits: usdc(1),
      ...rules,
      ...context,
    }
  }

  apply(event: SwapEvent): Step {
    const step = advance(this.swap, event, this.context)
    this.swap = step.swap
    this.step = step
    this.alerts.push(...step.alerts)
    this.postings.push(...step.postings)
    return step
  }

  at(minute: number): this {
    this.context = { ...this.context, now: minutes(minute) }
    return this
  }

  see(id: string, units: bigint, fields: Partial<Deposit> = {}): void {
    this.apply({ type: 'deposit_seen', deposit: depositOf(id, units, { seenAt: this.context.now, ...fields }) })
  }

  /** Reports a deposit and confirms it. */
  deposit(id: string, units: bigint, fields: Partial<Deposit> = {}): void {
    this.see(id, units, fields)
    this.apply({ type: 'deposit_confirmed', depositId: id, units })
  }

  tick(): void {
    this.apply({ type: 'tick' })
  }

  /** Marks a payout as started, as the payer does when it allocates a slot. */
  start(kind: string): void {
    this.swap = {
      ...this.swap,
      payouts: this.swap.payouts.map((payout) => (payout.kind === kind ? { ...payout, started: true } : payout)),
    }
  }

  land(kind: 'output' | 'refuel' | 'refund' | 'return', depositId: string | null = null): void {
    this.start(kind)
    this.apply({ type: 'payout_confirmed', kind, depositId, from: TREASURY })
  }

  /** The payouts that are not abandoned, as short texts. */
  get standing(): string[] {
    return this.swap.payouts
      .filter(({ state }) => state !== 'abandoned')
      .map(({ kind, depositId, units, to }) => `${kind}${depositId ? ` of ${depositId}` : ''}: ${units} to ${to}`)
  }

  /** The balance of an account in one token over all postings. */
  balance(account: string, token: Token = SOURCE): bigint {
    return balanceOf(this.postings, account, token)
  }
}

function balanceOf(postings: readonly Posting[], account: string, token: Token): bigint {
  return postings
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.account === account && entry.token === token)
    .reduce((sum, { units }) => sum + units, 0n)
}
