/** The user's input on the swap page, and what follows from it. Kept while other pages are open. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { computed, signal } from '@preact/signals'
import { client, site } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { NO_QUOTE, type QuoteState, type QuoteWanted } from '../../api/quote-loop.ts'
import { keepAmong, kept } from '../../api/storage.ts'
import { usdToUnits } from '../../money/format.ts'
import { fromUnits, parseAmount, toUnits } from '../../money/parse-amount.ts'
import { canSend } from '../../wallet/families.ts'
import { type Choice, findChoice, flagsOf, keyOf, type Method } from './logic.ts'

export const sources = signal<RouteNetwork[]>([])
export const destinations = signal<RouteNetwork[]>([])
export const loadError = signal<unknown>(null)
export const from = signal<Choice | null>(null)
export const to = signal<Choice | null>(null)
export const typed = signal('')
export const unit = signal<'token' | 'usd'>('token')
export const recipient = signal('')
export const refund = signal('')
export const refuel = signal(false)
/** The slippage as a fraction; null for the service's default. */
export const slippage = signal<string | null>(null)
export const method = signal<Method>('wallet')
export const quote = signal<QuoteState>(NO_QUOTE)
/** Fields that an embedded form locks. */
export const locked = signal<readonly string[]>([])
/** The connected wallet's balance and the transfer cost, in base units. */
export const balance = signal<{ units: bigint; cost: bigint; native: bigint } | null>(null)

export const amount = computed(() => parseAmount(typed.value))

/** In base units of the source token; null if malformed or with too many digits. */
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

let stopReading = (): void => undefined

/**
 * Loads both lists, each filtered by the choice on the other side. Retries until they are loaded or other lists are
 * requested.
 */
export function loadRoutes(onRead: () => void = () => undefined): void {
  stopReading()
  stopReading = keepTrying(readRoutes, {
    onFound: ([s, d, isSandbox]) => {
      sources.value = s.map((network) => ({ ...network, deposit_methods: methodsHere(network, isSandbox) }))
      destinations.value = d
      loadError.value = null
      onRead()
    },
    onProblem: (error) => (loadError.value = error),
  })
}

function readRoutes() {
  const flags = { include_unavailable: true, include_unmatched: true, include_swaps: true }
  const end = (choice: Choice | null) =>
    choice && { network: choice.network.name, token: choice.token.contract ?? choice.token.symbol }
  const [start, goal] = [end(from.value), end(to.value)]
  return Promise.all([
    client.sources({ ...flags, ...(goal && { destination_network: goal.network, destination_token: goal.token }) }),
    client.destinations({ ...flags, ...(start && { source_network: start.network, source_token: start.token }) }),
    site.value?.isSandbox ?? client.site().then(({ sandbox }) => sandbox),
  ])
}

/** Without browser wallets for a family, `wallet` is not offered; a sandbox has its own wallet. */
function methodsHere({ type, deposit_methods: methods }: RouteNetwork, isSandbox: boolean) {
  const others = methods.filter((name) => name !== 'wallet')
  return isSandbox || canSend(type) || others.length === 0 ? methods : others
}

export function choose(side: 'source' | 'destination', choice: Choice): void {
  const [own, other] = side === 'source' ? [from, to] : [to, from]
  if (other.value && keyOf(other.value) === keyOf(choice)) other.value = own.value
  own.value = choice
  const isOffered = choice.network.deposit_methods.some((name) => name === method.value)
  if (side === 'source' && !isOffered) chooseFirstMethod(choice)
  keepAmong('recent', keyOf(choice), 3)
  loadRoutes()
}

export function chooseFirstMethod(source: Choice | null): void {
  method.value = source?.network.deposit_methods[0] ?? 'wallet'
}

export function turn(): void {
  const [a, b] = [from.value, to.value]
  from.value = b && findChoice(sources.value, keyOf(b))
  to.value = a && findChoice(destinations.value, keyOf(a))
  ;[recipient.value, refund.value] = [refund.value, recipient.value]
  chooseFirstMethod(from.value)
  loadRoutes()
}

/** Prefills the form from the URL. */
export function prefill(query: Readonly<Record<string, string>>): void {
  from.value = findChoice(sources.value, query.from ?? null) ?? from.value
  to.value = findChoice(destinations.value, query.to ?? null) ?? to.value
  if (query.amount && parseAmount(query.amount).state === 'ok') typed.value = query.amount
  if (query.recipient) recipient.value = query.recipient
}

export function takeAmount(amount: string): void {
  unit.value = 'token'
  typed.value = amount
}

export function recentKeys(): string[] {
  return [...(kept<string[]>('starred') ?? []), ...(kept<string[]>('recent') ?? [])]
}
