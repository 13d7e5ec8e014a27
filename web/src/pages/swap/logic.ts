/** The pure logic of the swap page: the next step, token search, and the maximum amount. */
import type { RouteNetwork, RouteToken } from '@causeway/sdk/light'
import { costs, swap as text } from '../../text/texts.ts'
import { nameOf } from './token-names.ts'

export interface Choice {
  network: RouteNetwork
  token: RouteToken
}

/** `NET:TOKEN`, as in links. Uses the contract if there is one, since symbols are labels. */
export function keyOf({ network, token }: Choice): string {
  return `${network.name}:${token.contract ?? token.symbol}`
}

export function findChoice(networks: readonly RouteNetwork[], key: string | null): Choice | null {
  if (!key) return null
  const at = key.indexOf(':')
  const [name, wanted] = [key.slice(0, at), key.slice(at + 1).toLowerCase()]
  const network = networks.find((entry) => entry.name === name || entry.chain_id === name)
  const token = network?.tokens.find(
    ({ contract, symbol }) => contract?.toLowerCase() === wanted || symbol.toLowerCase() === wanted,
  )
  return network && token ? { network, token } : null
}

export interface Found extends Choice {
  key: string
}

/** Tokens that match every word of the search; recent and starred ones first, then by rank. */
export function searchTokens(
  networks: readonly RouteNetwork[],
  search: string,
  only: string | null,
  first: readonly string[],
  side: 'source' | 'destination',
): Found[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = `${side}_rank` as const
  const all = networks
    .filter(({ name }) => only === null || name === only)
    .flatMap((network) => network.tokens.map((token) => ({ network, token, key: keyOf({ network, token }) })))
  const place = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length)
  const isOpen = ({ token }: Found) => (token.status === 'active' ? 0 : 1)
  // An exact symbol match comes first.
  const isMeant = ({ token }: Found) => (words.includes(token.symbol.toLowerCase()) ? 0 : 1)
  return all
    .filter((entry) => words.every((word) => haystack(entry).includes(word)))
    .sort(
      (a, b) =>
        isOpen(a) - isOpen(b) ||
        isMeant(a) - isMeant(b) ||
        place(a.key) - place(b.key) ||
        a.network[rank] - b.network[rank] ||
        a.token[rank] - b.token[rank],
    )
}

function haystack({ network, token }: Choice): string {
  const parts = [
    network.display_name,
    network.name,
    network.chain_id,
    token.symbol,
    token.display_asset,
    nameOf(token),
    token.contract,
  ]
  return parts.join(' ').toLowerCase()
}

export interface FormState {
  hasFrom: boolean
  hasTo: boolean
  hasAmount: boolean
  /** Something was typed that is no amount. */
  isAmountBad: boolean
  /** The typed text can be read as either of two amounts. */
  isAmountOpen: boolean
  recipient: 'empty' | 'asking' | 'ok' | 'bad'
  isRefundBad: boolean
  /** The route goes over an exchange, and there is no address for a refund. */
  isRefundMissing: boolean
  isPriced: boolean
  isBlocked: boolean
  /** The label of the button if the amount is outside the limits; null otherwise. */
  limit: string | null
}

/** The button's label, and whether it does something. */
export function nextStep(form: FormState): { label: string; isReady: boolean } {
  if (!form.hasFrom || !form.hasTo) return { label: text.selectToken, isReady: true }
  const recipients = { empty: text.enterRecipient, asking: text.checkingAddress, bad: text.checkAddress, ok: null }
  const missing = [
    form.hasAmount
      ? null
      : form.isAmountOpen
        ? costs.chooseAmount
        : form.isAmountBad
          ? text.checkAmount
          : text.enterAmount,
    form.limit,
    recipients[form.recipient],
    form.isRefundBad ? text.checkRefund : null,
    form.isPriced || form.isBlocked ? null : text.gettingPrice,
  ]
  const first = missing.find((label) => label !== null)
  // It opens the settings.
  if (!first && form.isRefundMissing && !form.isBlocked) return { label: text.enterRefund, isReady: true }
  return first ? { label: first, isReady: false } : { label: text.review, isReady: !form.isBlocked }
}

/** Reserves one and a half times the transfer cost, because fees move before the user confirms. */
export function mostOf(balance: bigint, cost: bigint, limit: bigint | null): bigint {
  const free = balance - (cost * 3n) / 2n
  const most = limit !== null && limit < free ? limit : free
  return most > 0n ? most : 0n
}

/** Whether the price is worse than the reviewed one by more than 0.1 %. */
export function hasMoved(before: number, now: number): boolean {
  return now < before * 0.999
}

/**
 * How a swap is paid: a plain transfer from a wallet, a signed permit without gas, a call to our Depository contract, or
 * a transfer to a deposit address.
 */
export type Method = 'wallet' | 'gasless' | 'depository' | 'deposit_address'

export function flagsOf(method: Method) {
  return {
    use_deposit_address: method === 'deposit_address',
    use_depository: method === 'depository',
    use_gasless: method === 'gasless',
  }
}

/** The methods to offer. Gasless needs a connected wallet that can sign. */
export function methodsOf({ network, token }: Choice, signs: boolean): Method[] {
  if (!network.deposit_methods.includes('wallet')) return [...network.deposit_methods]
  const rest = network.deposit_methods.filter((name) => name !== 'wallet')
  return ['wallet', ...(signs && token.supports_gasless_deposit ? ['gasless' as const] : []), 'depository', ...rest]
}
