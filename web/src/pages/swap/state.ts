/** The user's input on the swap page, and what follows from it. Kept while other pages are open. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { computed, signal } from '@preact/signals'
import { NO_QUOTE, type QuoteState, type QuoteWanted } from '../../api/quote-loop.ts'
import { kept } from '../../api/storage.ts'
import { usdToUnits } from '../../money/format.ts'
import { asTyped, fromUnits, parseAmount, toUnits } from '../../money/parse-amount.ts'
import { type Choice, flagsOf, type Method } from './logic.ts'

export const sources = signal<RouteNetwork[]>([])
export const destinations = signal<RouteNetwork[]>([])
export const loadError = signal<unknown>(null)
export const from = signal<Choice | null>(null)
export const to = signal<Choice | null>(null)
export const typed = signal('')
export const unit = signal<'token' | 'usd'>('token')
/** The typed recipient. Empty: the connected wallet's own account, unless another one is to be entered. */
export const recipient = signal('')
export const isOtherRecipient = signal(false)
export const refund = signal('')
export const refuel = signal(false)
/** The slippage as a fraction; null for the service's default. */
export const slippage = signal<string | null>(null)
export const method = signal<Method>('wallet')
export const quote = signal<QuoteState>(NO_QUOTE)
/** The side whose picker is open. */
export const opening = signal<'source' | 'destination' | null>(null)
/** Fields that an embedded form locks. */
export const locked = signal<readonly string[]>([])
/** The connected wallet's balance and the transfer cost, in base units. */
export const balance = signal<{ units: bigint; cost: bigint; native: bigint } | null>(null)

/** A route over an exchange needs a refund address. */
export const needsRefund = computed(
  () => quote.value.quoted?.quote.warnings.some(({ code }) => code === 'REFUND_ADDRESS_REQUIRED') ?? false,
)

export const amount = computed(() => parseAmount(typed.value))

/** The amount in base units of the source token; null if malformed or with too many digits. */
export const units = computed(() => {
  const [read, choice] = [amount.value, from.value]
  if (read.state !== 'ok' || !choice) return null
  const { decimals, precision, price_in_usd: price } = choice.token
  if (unit.value === 'token') return toUnits(read.decimal, decimals)
  const exact = usdToUnits(read.decimal, price, decimals)
  // Truncated to the display precision, so that the reviewed amount is the requested amount.
  const step = 10n ** BigInt(Math.max(0, decimals - precision))
  return exact === null ? null : (exact / step) * step
})

export const decimal = computed(() =>
  units.value === null || !from.value ? null : fromUnits(units.value, from.value.token.decimals),
)

export const wanted = computed<QuoteWanted | null>(() => {
  const [a, b, text] = [from.value, to.value, decimal.value]
  return !a || !b || text === null || text === '0' ? null : wantedFor(text, a, b)
})

/** A quote request with the form's settings and another amount. */
export function wantedFor(amount: string, a: Choice, b: Choice): QuoteWanted {
  return {
    source_network: a.network.name,
    source_token: a.token.contract ?? a.token.symbol,
    destination_network: b.network.name,
    destination_token: b.token.contract ?? b.token.symbol,
    amount,
    refuel: refuel.value,
    ...(slippage.value === null ? {} : { slippage: slippage.value }),
    ...flagsOf(method.value),
  }
}

export function takeAmount(amount: string): void {
  unit.value = 'token'
  typed.value = asTyped(amount)
}

export function recentKeys(): string[] {
  return [...(kept<string[]>('starred') ?? []), ...(kept<string[]>('recent') ?? [])]
}
