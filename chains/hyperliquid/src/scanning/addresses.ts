/**
 * Deposits to each deposit address since its last check. A row is accepted if the balance, which identifies tokens by
 * number, confirms it. If it does not for a while, the deposit is reported with a doubt and an operator decides.
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
import { inTurns } from './turns.ts'

/** The weight of reading both balances of an account, and of a ledger with a few rows. */
const LOOK_WEIGHT = 4
const LEDGER_WEIGHT = 24
/** The weight of each ledger page, and how many rows add one. */
const PAGE_WEIGHT = 20
const ROWS_A_WEIGHT = 20
/** A ledger with up to this many rows is paid for in advance. */
const FEW_ROWS = 80
/**
 * Addresses per scan that are read by turns of their groups: a small budget ends there. If there is more, all expected addresses are also
 * read within this many scans, which take less than a minute.
 */
const MOST_IN_TURN = 200
const ROUNDS = 15
/** How many are read concurrently. */
const SIDE_BY_SIDE = 8
/** Addresses that expect no deposit are read at most this often. */
const OTHERS_EVERY_MS = 60_000
/**
 * Ledgers are read at least this often: if another process swept an address and the same amount arrived again, the
 * balance does not show it.
 */
const UNCHANGED_FOR_MS = 3_600_000
/** After this many mismatches in a row a deposit is doubted: a lagging gateway has caught up by then. */
const PATIENCE = 20
const LAGS_FOR = 3
const DOUBTED_EVERY_MS = 60_000

/** Checks as many addresses as the budget allows, and returns all cached deposits of addresses that expect one. */
export async function lookAround(chain: HyperliquidChain, node: Node, ours: Watchlist): Promise<Remembered[]> {
  const { addressCache, now } = chain
  const { recent, others } = (await ours.pollCandidates?.()) ?? { recent: [], others: [] }
  const groups = recent.map((addresses) => addresses.filter((address) => address !== chain.treasury))
  const soon = new Set(groups.flat())
  const due = others.filter((address) => !soon.has(address) && now() - addressCache.of(address).at > OTHERS_EVERY_MS)
  const readAt = (address: Address) => addressCache.of(address).at
  // The others are one more group: open swaps, however many, must not hide a late deposit.
  const fair = inTurns([...groups, due], readAt, Math.random).slice(0, MOST_IN_TURN)
  const taken = new Set(fair)
  const left = [...soon].filter((address) => !taken.has(address))
  const more = inTurns([left], readAt, Math.random).slice(0, Math.ceil(soon.size / ROUNDS))
  await lookAtAll(chain, node, [...fair, ...more], addressCache.spend)
  return [...soon, ...others].flatMap((address) => [...addressCache.of(address).arrivals.values()])
}

/** Checks these addresses. Returns how many were checked: the budget, of which `spend` takes, may run out first. */
export async function lookAtAll(
  chain: HyperliquidChain,
  node: Node,
  addresses: readonly Address[],
  spend: (weight: number) => boolean,
): Promise<number> {
  const waiting = [...addresses]
  const troubles: { address: Address; error: unknown }[] = []
  let looked = 0
  const take = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!spend(LOOK_WEIGHT)) return
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
  // One unreadable address delays no other; if all fail, the gateway is at fault.
  if (first && looked === 0) throw first.error
  for (const { address, error } of troubles) {
    chain.log.warn({ network: chain.network.name, address, err: error }, 'a deposit address could not be read')
  }
  return looked
}

async function lookAt(chain: HyperliquidChain, node: Node, address: Address): Promise<void> {
  const look = chain.addressCache.of(address)
  const pockets = await pocketsOf(chain, node, address)
  const isChanged = look.signature !== pockets.signature || chain.now() - look.readAt > UNCHANGED_FOR_MS
  // The network may have deleted a swept account: an empty balance has no ledger to read.
  if (!isChanged || isEmpty(chain, pockets)) {
    look.at = chain.now()
    look.signature = pockets.signature
    if (isEmpty(chain, pockets)) look.settled = null
    return
  }
  // A persistent mismatch is read again, but not in every round.
  const isResting = look.disagreed >= PATIENCE && chain.now() - look.readAt < DOUBTED_EVERY_MS
  if (isResting || chain.now() < look.restsUntil) {
    look.at = chain.now()
    return
  }
  // Also from a budget that other looks have used up in every scan: then the next looks wait, not this deposit.
  chain.addressCache.charge(LEDGER_WEIGHT)
  look.at = chain.now()
  look.readAt = look.at
  const { arrivals, missing, isWhole, weight, settled } = await readAddress(chain, node, address, look.settled)
  look.restsUntil = look.at + restAfter(chain, weight)
  const fresh = arrivals.filter((arrival) => !look.arrivals.has(placeKey(arrival)))
  look.disagreed = missing || !isWhole ? look.disagreed + 1 : 0
  // A lagging gateway mismatches briefly; an address that was emptied and reset mismatches until its whole ledger is
  // read.
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
  /** A listed token whose balance is lower than the sum of its rows; deposits of it are held for review. */
  missing: Token | null
  /** Whether the rows explain the whole balance, and none of them was unreadable. */
  isWhole: boolean
  /** The weight that the read cost. */
  weight: number
  /** The checkpoint from which it can be read next time; null if the ledger is short. */
  settled: Settled | null
}

/**
 * The fraction of the budget that one address may use on average: a ledger filled with dust must not starve the others.
 */
const ADDRESS_PART = 20
/** Weight that is not limited: the maximum of an ordinary swap's ledger, however often it is read. */
const FREE_WEIGHT = 100

function restAfter({ settings }: HyperliquidChain, weight: number): number {
  return weight <= FREE_WEIGHT ? 0 : (weight * ADDRESS_PART * 60_000) / settings.weightPerMinute
}

/** Rows may arrive this late, because a gateway may lag. */
const LATE_MS = 60_000

/**
 * Reads the whole ledger, since an address is paid only a few times in its life; if it was long, only the rows since
 * the checkpoint.
 */
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
  // Read after the rows, so that no row is newer than the balance.
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

/** The expected sum of both balances, by the checkpoint and the rows. */
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
