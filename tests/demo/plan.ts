/**
 * The demo's swaps, derived from the catalogue: everything between the two best networks, one swap per step of a ring
 * over all networks, one to and one from every other family, and swaps that end in other ways.
 */
import type { ListedNetwork, Token } from '@causeway/sdk'

export interface End {
  network: ListedNetwork
  token: Token
}

/** How the depositor behaves. */
export type Deposit = 'as asked' | 'twice' | 'none' | 'part of it' | 'below the minimum' | 'above the maximum'

export interface Scenario {
  source: End
  destination: End
  method: 'direct' | 'deposit address' | 'depository' | 'gasless'
  refuel: boolean
  deposit: Deposit
  /** False: the refund must go to the sender. */
  givesRefundAddress: boolean
}

/** For people: networks, tokens, and the funding method. */
export function partsOf({ source, destination, method, refuel, deposit }: Scenario): [string, string, string] {
  const extras = [...(refuel ? ['refuel'] : []), ...(deposit === 'as asked' ? [] : [DEPOSIT_WORDS[deposit]])]
  return [
    `${source.network.name} → ${destination.network.name}`,
    `${source.token.symbol} → ${destination.token.symbol}`,
    [method, ...extras].join(', '),
  ]
}

const DEPOSIT_WORDS: Record<Deposit, string> = {
  'as asked': '',
  twice: 'deposited twice',
  none: 'no deposit',
  'part of it': 'a part only',
  'below the minimum': 'too little',
  'above the maximum': 'too much',
}

/** Whether the result shows only once the deposit window has closed. */
export function needsClosedWindow({ deposit }: Scenario): boolean {
  return deposit === 'none' || deposit === 'part of it' || deposit === 'below the minimum'
}

export function planOf(networks: readonly ListedNetwork[]): Scenario[] {
  const ranked = [...networks].sort((a, b) => a.source_rank - b.source_rank)
  const [first, second] = ranked
  if (!first || !second) throw new Error('the demo needs two networks')
  return [
    ...everythingBetween(first, second),
    ...ring(ranked),
    ...acrossFamilies(ranked),
    ...throughContracts(ranked),
    ...refundsOfFamilies(ranked),
    ...otherEnds(first, second),
  ]
}

/** Our contracts are the same on every network. */
const SHOWN_WITH_CONTRACTS = 2

/**
 * A network with gasless tokens also has a Depository: a coin and a token go through it, and each such token by
 * signature.
 */
function throughContracts(networks: readonly ListedNetwork[]): Scenario[] {
  const able = networks.filter(({ tokens }) => tokens.some((token) => token.supports_gasless_deposit))
  return able.slice(0, SHOWN_WITH_CONTRACTS).flatMap((from) => {
    const signing = from.tokens.filter((token) => token.supports_gasless_deposit)
    const to = networks.find((other) => other !== from)
    if (!to) return []
    const destination = nativeOf(to)
    return [
      swap(nativeOf(from), destination, { method: 'depository' }),
      swap(issuedOn(from, 1) ?? nativeOf(from), destination, { method: 'depository' }),
      ...signing.map((token) => swap({ network: from, token }, destination, { method: 'gasless' })),
    ]
  })
}

function everythingBetween(from: ListedNetwork, to: ListedNetwork): Scenario[] {
  const pairs = [
    [nativeOf(from), nativeOf(to)],
    [nativeOf(from), issuedOn(to)],
    [issuedOn(from), nativeOf(to)],
    [issuedOn(from), issuedOn(to, 1)],
  ]
  const all = pairs.flatMap(([source, destination]) =>
    source && destination ? methodsOf(from).map((method) => swap(source, destination, { method })) : [],
  )
  const refuelled = issuedOn(to)
  return refuelled ? [...all, swap(nativeOf(from), refuelled, { refuel: true })] : all
}

/** Every network once as a source and once as a destination; the step between the first two exists already. */
function ring(networks: readonly ListedNetwork[]): Scenario[] {
  if (networks.length < 3) return []
  return networks.flatMap((from, index) => {
    const to = networks[(index + 1) % networks.length]
    if (index === 0 || !to || methodsOf(from).length === 0) return []
    const isOdd = index % 2 === 1
    const source = (isOdd ? issuedOn(from) : null) ?? nativeOf(from)
    const destination = (isOdd ? issuedOn(to) : null) ?? nativeOf(to)
    const methods = methodsOf(from)
    return [swap(source, destination, { method: methods[index % methods.length] ?? 'direct' })]
  })
}

/** Families whose short references let only the named sender pay: a second deposit by another one stays unmatched. */
const ONE_SENDER = ['zksynclite', 'starkex']

/**
 * A refund in every family: of a large deposit to a deposit address, of a second deposit if there are no addresses, or
 * of one below the minimum.
 */
function refundsOfFamilies(networks: readonly ListedNetwork[]): Scenario[] {
  return bestOfFamilies(networks).flatMap((from) => {
    const to = networks.find((other) => other !== from)
    const method = methodsOf(from).at(-1)
    const again = ONE_SENDER.includes(from.type) ? 'below the minimum' : 'twice'
    const deposit = method === 'direct' ? again : 'above the maximum'
    return to && method ? [swap(nativeOf(from), nativeOf(to), { deposit, method })] : []
  })
}

function bestOfFamilies(networks: readonly ListedNetwork[]): ListedNetwork[] {
  return [...Map.groupBy(networks, ({ type }) => type).values()].flatMap(([one]) => one ?? [])
}

/** From the best network overall to that of every other family, and back. */
function acrossFamilies(networks: readonly ListedNetwork[]): Scenario[] {
  const [hub, ...others] = bestOfFamilies(networks)
  if (!hub) return []
  const between = (from: ListedNetwork, to: ListedNetwork) => {
    const [method] = methodsOf(from)
    return method ? [swap(nativeOf(from), nativeOf(to), { method })] : []
  }
  return others.flatMap((other) => [...between(hub, other), ...between(other, hub)])
}

function otherEnds(from: ListedNetwork, to: ListedNetwork): Scenario[] {
  const source = nativeOf(from)
  const destination = nativeOf(to)
  const method = methodsOf(from).at(-1) ?? 'direct'
  const ends = [
    swap(source, destination, { deposit: 'none' }),
    swap(source, destination, { deposit: 'twice' }),
    swap(source, destination, { deposit: 'below the minimum', givesRefundAddress: false }),
    swap(issuedOn(from) ?? source, destination, { deposit: 'part of it', method }),
  ]
  return ends
}

function swap(source: End, destination: End, options: Partial<Scenario>): Scenario {
  return {
    source,
    destination,
    method: 'direct',
    refuel: false,
    deposit: 'as asked',
    givesRefundAddress: true,
    ...options,
  }
}

/** Empty if there is no way to deposit. */
function methodsOf({ deposit_methods: methods }: ListedNetwork): Scenario['method'][] {
  return methods.map((method) => (method === 'wallet' ? 'direct' : 'deposit address'))
}

function nativeOf(network: ListedNetwork): End {
  return { network, token: network.token }
}

/** A token with a contract: the best one, or the one `place` positions after it. */
function issuedOn(network: ListedNetwork, place = 0): End | null {
  const issued = network.tokens
    .filter(({ contract }) => contract !== null)
    .sort((a, b) => a.source_rank - b.source_rank)
  const token = issued[place] ?? issued[0]
  return token ? { network, token } : null
}
