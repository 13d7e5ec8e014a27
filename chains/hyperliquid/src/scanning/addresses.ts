/**
 * Deposit addresses: what came to each since it was looked at last. What a row says counts where the balance, which names its
 * tokens by number, bears it out; where it does not for a while, it is told with a doubt, and a person decides.
 */
import { type Address, isSameToken, type Token, type Watchlist } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { type Pockets, pocketsOf } from '../paying/balance.ts'
import type { Remembered, Settled } from './address-cache.ts'
import { changesOnAddress } from './balance-changes.ts'
import { type Arrival, arrivalOf } from './credits.ts'
import { readLedger } from './ledger.ts'
import type { Row } from './ledger-row.ts'
import { placeKey, type Received } from './received.ts'

/** What the two balances of an account cost to ask for, and a ledger with a few rows. */
const LOOK_WEIGHT = 4
const LEDGER_WEIGHT = 24
/** What each page of a ledger costs, and how many rows cost one more. */
const PAGE_WEIGHT = 20
const ROWS_A_WEIGHT = 20
/** Those that are paid for beforehand. */
const FEW_ROWS = 80
/** Addresses looked at in one scan at most, so that what came is told soon; and how many side by side. */
const MOST_LOOKS = 200
const SIDE_BY_SIDE = 8
/** Those that nobody is expected to pay to are looked at no more often. */
const OTHERS_EVERY_MS = 60_000
/** What was swept by another process, and came again to the unit, shows in no balance. */
const UNCHANGED_FOR_MS = 3_600_000
/** Looks in a row: a gateway that lags has caught up by then. */
const PATIENCE = 20
const LAGS_FOR = 3
const DOUBTED_EVERY_MS = 60_000

/** Looks at as many as the budget allows, and tells all that is remembered of those that somebody may be paying to. */
export async function lookAround(chain: HyperliquidChain, node: Node, ours: Watchlist): Promise<Remembered[]> {
  const { addressCache, now } = chain
  const { recent, others } = (await ours.pollCandidates?.()) ?? { recent: [], others: [] }
  const soon = new Set(recent.filter((address) => address !== chain.treasury))
  const due = others.filter((address) => !soon.has(address) && now() - addressCache.of(address).at > OTHERS_EVERY_MS)
  const inTurn = (addresses: Iterable<Address>) =>
    [...addresses].sort((a, b) => addressCache.of(a).at - addressCache.of(b).at)
  await lookAtAll(chain, node, [...inTurn(soon), ...inTurn(due)].slice(0, MOST_LOOKS))
  return [...soon, ...others].flatMap((address) => [...addressCache.of(address).arrivals.values()])
}

/** Answers how many of them were looked at: the budget may be spent before the end. */
export async function lookAtAll(chain: HyperliquidChain, node: Node, addresses: readonly Address[]): Promise<number> {
  const waiting = [...addresses]
  const troubles: { address: Address; error: unknown }[] = []
  let looked = 0
  const take = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!chain.addressCache.spend(LOOK_WEIGHT)) return
      const address = next
      const isLooked = await lookAt(chain, node, address).then(
        () => true,
        (error: unknown) => {
          troubles.push({ address, error })
          return false
        },
      )
      if (isLooked) looked += 1
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, take))
  const [first] = troubles
  // One that cannot be read keeps no other waiting; where none can, it is the gateway.
  if (first && looked === 0) throw first.error
  for (const { address, error } of troubles) {
    chain.log.warn({ network: chain.network.name, address, err: error }, 'a deposit address could not be looked at')
  }
  return looked
}

async function lookAt(chain: HyperliquidChain, node: Node, address: Address): Promise<void> {
  const look = chain.addressCache.of(address)
  const pockets = await pocketsOf(chain, node, address)
  const isChanged = look.signature !== pockets.signature || chain.now() - look.readAt > UNCHANGED_FOR_MS
  // What was swept may be forgotten by the network: where nothing lies, nothing is to be found.
  if (!isChanged || isEmpty(chain, pockets)) {
    look.at = chain.now()
    look.signature = pockets.signature
    if (isEmpty(chain, pockets)) look.settled = null
    return
  }
  // What does not come to agree is read again all the same, but not at every turn.
  const isResting = look.disagreed >= PATIENCE && chain.now() - look.readAt < DOUBTED_EVERY_MS
  if (isResting || chain.now() < look.restsUntil) {
    look.at = chain.now()
    return
  }
  // Not looked into for want of budget: the next turn sees the change again.
  if (!chain.addressCache.spend(LEDGER_WEIGHT)) return
  look.at = chain.now()
  look.readAt = look.at
  const { arrivals, missing, isWhole, weight, settled } = await readAddress(chain, node, address, look.settled)
  look.restsUntil = look.at + restAfter(chain, weight)
  const fresh = arrivals.filter((arrival) => !look.arrivals.has(placeKey(arrival)))
  look.disagreed = missing || !isWhole ? look.disagreed + 1 : 0
  // A gateway that lags disagrees for a moment; an address that was emptied and began anew until all of it is read.
  look.settled = look.disagreed === 0 ? settled : look.disagreed < LAGS_FOR ? look.settled : null
  if (look.disagreed > 0 && look.disagreed < PATIENCE) return
  if (look.disagreed > 0 && fresh.length > 0) {
    const fields = { network: chain.network.name, address, token: missing?.symbol, isWhole }
    chain.log.error(fields, 'the balance of a deposit address does not bear out its ledger')
  }
  chain.addressCache.remember(look, fresh)
  if (look.disagreed === 0) look.signature = pockets.signature
}

export interface AddressLedger {
  arrivals: Received[]
  /** A listed token of which less lies there than the rows add up to; those that came with it are doubted. */
  missing: Token | null
  /** Whether the rows explain all that lies there, and none of them was out of reach. */
  isWhole: boolean
  /** What reading it took of the gateway's budget. */
  weight: number
  /** From where on it can be read the next time; null where it is short. */
  settled: Settled | null
}

/** What an address may take of the budget on average, as a part: whoever fills a ledger with dust must not use up the time of all others. */
const ADDRESS_PART = 20
/** What a ledger of an ordinary swap takes at most, however often. */
const FREE_WEIGHT = 100

function restAfter({ settings }: HyperliquidChain, weight: number): number {
  return weight <= FREE_WEIGHT ? 0 : (weight * ADDRESS_PART * 60_000) / settings.weightPerMinute
}

/** Rows may come as late as a gateway lags. */
const LATE_MS = 60_000

/** The whole of it, since an address is paid to a few times in its life; where it was long, what came since. */
export async function readAddress(
  chain: HyperliquidChain,
  node: Node,
  address: Address,
  before: Settled | null = null,
): Promise<AddressLedger> {
  const { rows, hasGap, pages } = await readLedger(node, address, before ? before.to + 1 : 0, null)
  const weight = pages * PAGE_WEIGHT + Math.ceil(rows.length / ROWS_A_WEIGHT)
  const isSmall = pages === 1 && rows.length <= FEW_ROWS
  if (!isSmall) chain.addressCache.charge(weight - PAGE_WEIGHT)
  const arrivals = rows.flatMap((row) => arrivalOf(chain, row, address) ?? [])
  // Read behind the rows, so that nothing in them can be younger than the balance.
  const pockets = await pocketsOf(chain, node, address)
  const sums = sumsOf(chain, rows, address, before)
  const missing = chain.network.tokens.find((token) => sums.of(token) > sums.held(pockets, token)) ?? null
  const isWhole = !hasGap && chain.network.tokens.every((token) => sums.of(token) === sums.held(pockets, token))
  return {
    arrivals: arrivals.map((arrival) => ({ ...doubted(arrival, missing), to: address })),
    ...{ missing, isWhole, weight },
    settled: isSmall ? before : settledIn(chain, rows, address, before),
  }
}

function settledIn(
  chain: HyperliquidChain,
  rows: readonly Row[],
  address: Address,
  before: Settled | null,
): Settled | null {
  const to = (rows.at(-1)?.time ?? 0) - LATE_MS
  const done = rows.filter(({ time }) => time <= to)
  if (done.length === 0) return before
  const sums = sumsOf(chain, done, address, before)
  return { to, sums: new Map(chain.network.tokens.map((token) => [token.contract, sums.of(token)])) }
}

function isEmpty({ network }: HyperliquidChain, { spot, perp }: Pockets): boolean {
  return perp === 0n && network.tokens.every((token) => spot(token) === 0n)
}

function doubted(arrival: Arrival, missing: Token | null): Arrival {
  if (missing === null || !isSameToken(arrival.token, missing)) return arrival
  return { ...arrival, doubt: `the address does not hold what its ledger says of ${missing.symbol}` }
}

/** What should lie there by the rows and what came before them, both balances together. */
function sumsOf(chain: HyperliquidChain, rows: readonly Row[], address: Address, before: Settled | null) {
  const changes = rows.flatMap((row) => changesOnAddress(chain, row, address, chain.log))
  return {
    of: (token: Token) =>
      changes.reduce(
        (sum, change) => (isSameToken(change.token, token) ? sum + change.units : sum),
        before?.sums.get(token.contract) ?? 0n,
      ),
    held: ({ spot, perp }: Pockets, token: Token) => spot(token) + (token.contract === null ? perp : 0n),
  }
}
