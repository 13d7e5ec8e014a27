/** The user's input on the swap page, and what follows from it. Kept while other pages are open. */
import { plainNumber, RequestError, type RouteNetwork } from '@causeway/sdk/light'
import { batch, computed, signal } from '@preact/signals'
import { client, loadSite } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { NO_QUOTE, type QuoteState, type QuoteWanted } from '../../api/quote-loop.ts'
import { keepAmong, kept } from '../../api/storage.ts'
import { cut, usdToUnits } from '../../money/format.ts'
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

/** The ends that a link names, as `NET:TOKEN`. */
export interface Named {
  from?: string
  to?: string
}

/**
 * Loads both lists, each filtered by the choice on the other side. Retries until they are loaded or other lists are
 * requested.
 */
export function loadRoutes(onRead: () => void = () => undefined, named: Named = {}): void {
  stopReading()
  stopReading = keepTrying(() => readRoutes(named), {
    onFound: ([s, d]) => {
      batch(() => {
        sources.value = s
        destinations.value = d
        loadError.value = null
        onRead()
      })
    },
    onProblem: (error) => (loadError.value = error),
  })
}

interface End {
  network: string
  token: string
}

/** Destinations wait for the sources only if no source is known: then the best ranked one is the start. */
async function readRoutes(named: Named): Promise<[RouteNetwork[], RouteNetwork[]]> {
  const [start, goal] = [endOf(from.value) ?? endNamed(named.from), endOf(to.value) ?? endNamed(named.to)]
  const reading = readSources(goal)
  const known = start ?? endOf(goal ? null : bestOf(await reading))
  return Promise.all([reading, readDestinations(known)])
}

const FLAGS = { include_unavailable: true, include_unmatched: true, include_swaps: true }

async function readSources(goal: End | null): Promise<RouteNetwork[]> {
  const filter = goal && { destination_network: goal.network, destination_token: goal.token }
  const [found, isSandbox] = await Promise.all([
    unlessUnknown(filter, (given) => client.sources({ ...FLAGS, ...given })),
    loadSite().then(({ isSandbox }) => isSandbox),
  ])
  return found.map((network) => ({ ...network, deposit_methods: methodsHere(network, isSandbox) }))
}

function readDestinations(start: End | null): Promise<RouteNetwork[]> {
  const filter = start && { source_network: start.network, source_token: start.token }
  return unlessUnknown(filter, (given) => client.destinations({ ...FLAGS, ...given }))
}

/** A link may name a token that is no longer listed: then the whole list is read. */
async function unlessUnknown<Filter extends object, Found>(
  filter: Filter | null,
  read: (filter: Filter | object) => Promise<Found>,
): Promise<Found> {
  try {
    return await read(filter ?? {})
  } catch (error) {
    if (filter && error instanceof RequestError && error.status < 429) return read({})
    throw error
  }
}

function endOf(choice: Choice | null): End | null {
  return choice && { network: choice.network.name, token: choice.token.contract ?? choice.token.symbol }
}

function endNamed(key: string | undefined): End | null {
  const [network, token] = (key ?? '').split(/:(.*)/)
  return network && token ? { network, token } : null
}

/** The start of a first visit. */
export function bestOf(networks: readonly RouteNetwork[]): Choice | null {
  const [network] = [...networks].sort((a, b) => a.source_rank - b.source_rank)
  const token = network?.tokens.find(({ status }) => status === 'active')
  return network && token ? { network, token } : null
}

/** Without browser wallets for a family, `wallet` is not offered; a sandbox has its own wallet. */
function methodsHere({ type, deposit_methods: methods }: RouteNetwork, isSandbox: boolean) {
  const others = methods.filter((name) => name !== 'wallet')
  return isSandbox || canSend(type) || others.length === 0 ? methods : others
}

export function choose(side: 'source' | 'destination', choice: Choice): void {
  const [own, other] = side === 'source' ? [from, to] : [to, from]
  batch(() => {
    if (other.value && keyOf(other.value) === keyOf(choice)) other.value = own.value
    // An address of one network is not to be paid on another.
    if (side === 'destination' && own.value?.network.type !== choice.network.type) forgetRecipient()
    own.value = choice
    chooseFirstMethod(from.value)
  })
  keepAmong('recent', keyOf(choice), 3)
  loadRoutes()
}

/** The price of the form is that of the first method: another one is chosen for a single swap, in its review. */
export function chooseFirstMethod(source: Choice | null): void {
  method.value = source?.network.deposit_methods[0] ?? 'wallet'
}

/** Carries the value over, not the number; and no address, which may belong to somebody else. */
export function turn(): void {
  const [a, b] = [from.value, to.value]
  const received = quote.value.quoted?.quote.receive_amount ?? 0
  batch(() => {
    from.value = b && findChoice(sources.value, keyOf(b))
    to.value = a && findChoice(destinations.value, keyOf(a))
    if (unit.value === 'token' && typed.value !== '')
      typed.value = received > 0 && b ? cut(plainNumber(received), b.token.precision) : ''
    forgetRecipient()
    refund.value = ''
    chooseFirstMethod(from.value)
  })
  loadRoutes()
}

export function forgetRecipient(): void {
  recipient.value = ''
  isOtherRecipient.value = false
}

/** Fills the form from a link. A link that names a route starts a new form: nothing of the last swap stays in it. */
export function prefill(query: Readonly<Record<string, string>>): void {
  batch(() => {
    if (query.from || query.to) {
      typed.value = ''
      unit.value = 'token'
      forgetRecipient()
      refund.value = ''
    }
    from.value = findChoice(sources.value, query.from ?? null) ?? from.value
    to.value = findChoice(destinations.value, query.to ?? null) ?? to.value
    if (query.amount && parseAmount(query.amount).state === 'ok') typed.value = query.amount
    if (query.recipient) recipient.value = query.recipient
    chooseFirstMethod(from.value)
  })
}

export function takeAmount(amount: string): void {
  unit.value = 'token'
  typed.value = amount
}

export function recentKeys(): string[] {
  return [...(kept<string[]>('starred') ?? []), ...(kept<string[]>('recent') ?? [])]
}
