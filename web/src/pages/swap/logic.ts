/** What the swap page decides, without a page: the next step, what a search finds, how much is the most. */
import type { RouteNetwork, RouteToken } from '@causeway/sdk/light'
import { swap as text } from '../../text/en.ts'

export interface Choice {
  network: RouteNetwork
  token: RouteToken
}

/** `NET:TOKEN`, as links carry it. The contract where there is one: symbols are labels. */
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

/** Those that fit every word of the search; what was used last and starred first, then by rank. */
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
  // A symbol that was typed whole is meant, whatever else has its letters in a name.
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
    token.contract,
  ]
  return parts.join(' ').toLowerCase()
}

export interface FormState {
  hasFrom: boolean
  hasTo: boolean
  hasAmount: boolean
  hasRecipient: boolean
  isPriced: boolean
  isBlocked: boolean
}

/** The one button's label, and whether it can be pressed. */
export function nextStep(form: FormState): { label: string; isReady: boolean } {
  const missing: [boolean, string][] = [
    [form.hasFrom, text.chooseFrom],
    [form.hasTo, text.chooseTo],
    [form.hasAmount, text.enterAmount],
    [form.hasRecipient, text.enterRecipient],
    [form.isPriced || form.isBlocked, text.gettingPrice],
  ]
  const first = missing.find(([isThere]) => !isThere)
  return first ? { label: first[1], isReady: false } : { label: text.review, isReady: !form.isBlocked }
}

/** What sending takes is kept back one and a half times: fees move while one confirms. */
export function mostOf(balance: bigint, cost: bigint, limit: bigint | null): bigint {
  const free = balance - (cost * 3n) / 2n
  const most = limit !== null && limit < free ? limit : free
  return most > 0n ? most : 0n
}

/** Worse by more than a thousandth than what was reviewed. */
export function hasMoved(before: number, now: number): boolean {
  return now < before * 0.999
}

/** How a swap is paid: by a transaction of a wallet, a signature alone, the Depository, or to an address of its own. */
export type Method = 'wallet' | 'gasless' | 'depository' | 'deposit_address'

export function flagsOf(method: Method) {
  return {
    use_deposit_address: method === 'deposit_address',
    use_depository: method === 'depository',
    use_gasless: method === 'gasless',
  }
}

/** What is worth asking for: whoever signs must be known, and have a wallet that signs. */
export function methodsOf({ network, token }: Choice, signs: boolean): Method[] {
  if (!network.deposit_methods.includes('wallet')) return [...network.deposit_methods]
  const rest = network.deposit_methods.filter((name) => name !== 'wallet')
  return ['wallet', ...(signs && token.supports_gasless_deposit ? ['gasless' as const] : []), 'depository', ...rest]
}
