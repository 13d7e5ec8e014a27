/**
 * Finds accounts of ours that changed, and the transactions that touched them. The treasury's accounts are checked each
 * time, and their lists read now and then regardless of balance: a credit and a debit between two checks change
 * nothing. Deposit addresses are checked in part.
 */
import type { Address, Watchlist } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { type AccountData, accounts, type Head, type HistoryEntry, historyOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { associatedAccount, tokenUnits } from '../tokens.ts'
import type { LandedTransaction } from '../transaction.ts'
import type { Memory } from './cursor.ts'
import type { ScanMemory } from './scan-memory.ts'

export interface Place {
  account: Address
  mint: Address | null
  kind: 'treasury' | 'recent' | 'other'
}

export interface Looked {
  /** All transactions that touched changed accounts, oldest first. */
  entries: HistoryEntry[]
  /** The last transaction of each account: it is read even if known, since it must explain the current balance. */
  newest: HistoryEntry[]
  /** Called after the lists were read: the current state is known from then on. */
  settle(): void
}

/** Accounts per request. */
const MOST_ACCOUNTS = 100
/** Accounts of deposit addresses checked per scan: three requests, and more if there are many addresses. */
const MOST_LOOKED = 300
/**
 * Scans in which all deposit addresses are checked once. The order is random, so two checks of one address are less than twice as
 * many scans apart: within a minute, even if scans are three seconds apart.
 */
const ROUNDS = 10
/** Transaction lists read per scan, in addition to the treasury's. */
const MOST_WALKED = 50
/**
 * The signature index may lag behind the accounts by this many slots, and a restart may have missed a read: more than
 * two minutes.
 */
const OVERLAP_SLOTS = 400n
/**
 * Pages of a deposit address's list that are read at once: anyone may touch the address. If the end is not reached, its
 * state counts as unknown, and twice as much is read next time, up to a million signatures.
 */
const MOST_PAGES = 10
const MOST_DOUBLINGS = 7
/** How often the treasury's lists are read regardless of balance, and how often an hour back. */
const WALK_MS = 60_000
const WALK_FAR_MS = 3_600_000
const FAR_SLOTS = 10_000n
/**
 * How often a list that does not explain the treasury's balance is read in consecutive scans, before it waits for the
 * long read.
 */
const MOST_DOUBTS = 20

export async function placesOf(chain: SolanaChain, node: Node, ours: Watchlist): Promise<Place[]> {
  const { treasury, scanMemory } = chain
  const { recent, others } = (await ours.pollCandidates?.()) ?? { recent: [], others: [] }
  const kinds = new Map<Address, Place['kind']>([
    ...others.map((owner) => [owner, 'other'] as const),
    ...recent.flat().map((owner) => [owner, 'recent'] as const),
  ])
  kinds.delete(treasury)
  const each = Math.max(Math.floor(MOST_LOOKED / (1 + chain.tokens.size)), Math.ceil(kinds.size / ROUNDS))
  const turns = Math.max(1, Math.ceil(kinds.size / each))
  const turn = nextTurn(scanMemory, turns)
  const part = [...kinds].slice(turn * each, (turn + 1) * each)
  const groups = [[treasury, 'treasury'] as const, ...part].map(([owner, kind]) =>
    placesOfOwner(chain, node, owner, kind),
  )
  return (await Promise.all(groups)).flat()
}

/**
 * Chooses the next addresses. Each gets its turn before any is repeated, in random order: with a fixed order, previews
 * between scans could always take the turn of the same addresses.
 */
function nextTurn(scanMemory: ScanMemory, turns: number): number {
  scanMemory.turns = scanMemory.turns.filter((turn) => turn < turns)
  if (scanMemory.turns.length === 0) {
    const all = Array.from({ length: turns }, (_, turn) => ({ turn, place: Math.random() }))
    scanMemory.turns = all.sort((a, b) => a.place - b.place).map(({ turn }) => turn)
  }
  return scanMemory.turns.shift() ?? 0
}

async function placesOfOwner(chain: SolanaChain, node: Node, owner: Address, kind: Place['kind']): Promise<Place[]> {
  const held = [...chain.tokens.keys()].map(async (mint) => ({
    account: await tokenAccount(chain, node, owner, mint),
    mint,
    kind,
  }))
  return [{ account: owner, mint: null, kind }, ...(await Promise.all(held))]
}

async function tokenAccount({ scanMemory, programs }: SolanaChain, node: Node, owner: Address, mint: Address) {
  const key = `${owner} ${mint}`
  const found =
    scanMemory.tokenAccounts.get(key) ?? (await associatedAccount(owner, mint, await programs.of(node, mint)))
  scanMemory.tokenAccounts.set(key, found)
  return found
}

export async function lookAt(
  chain: SolanaChain,
  node: Node,
  places: readonly Place[],
  memory: Memory,
  head: Head,
): Promise<Looked> {
  const { scanMemory } = chain
  const at = Date.now()
  const isDue = at - scanMemory.walkedAt > WALK_MS
  const isFarDue = at - scanMemory.walkedFarAt > WALK_FAR_MS
  const groups = Array.from({ length: Math.ceil(places.length / MOST_ACCOUNTS) }, (_, group) =>
    places.slice(group * MOST_ACCOUNTS, (group + 1) * MOST_ACCOUNTS),
  )
  const answers = await node.ask(
    groups.map((group) =>
      accounts(
        group.map(({ account }) => account),
        'confirmed',
        head.slot,
      ),
    ),
  )
  const views = answers.flatMap(({ accounts: found }) => found)
  const seen = places.map((place, position) => ({ ...place, held: heldBy(place, views[position] ?? null) }))
  const changed = seen.filter(({ account, held, kind }) => {
    const before = scanMemory.held.get(account)?.units
    if (kind === 'treasury' && (isDue || isFarDue)) return true
    // An empty account may have been swept by us with a deposit in it that no scan had seen.
    return before === undefined ? kind !== 'other' || held !== '' : before !== held
  })
  const hasChanged = changed.some(({ account, held }) => scanMemory.held.get(account)?.units !== held)
  const own = changed.filter(({ kind }) => kind === 'treasury')
  const others = changed.filter(({ kind }) => kind !== 'treasury')
  const fuller = others.toSorted((a, b) => Number(a.held === '') - Number(b.held === ''))
  const walked = [...own, ...fuller.slice(0, MOST_WALKED)]
  const histories = await Promise.all(
    walked.map(({ account, kind }) => {
      const isOwn = kind === 'treasury'
      const known = scanMemory.held.get(account)?.slot ?? (isOwn ? memory.slot : 0n)
      // Of the treasury, transfers since the last list read may be unknown, whatever its balance.
      const since = [known, memory.slot, isOwn ? (scanMemory.walkedTo ?? memory.slot) : known].reduce(lower)
      const back = isFarDue && isOwn ? FAR_SLOTS : OVERLAP_SLOTS
      const doublings = Math.min(scanMemory.buried.get(account) ?? 0, MOST_DOUBLINGS)
      return signaturesSince(node, account, since - back, head.slot, isOwn ? null : MOST_PAGES * 2 ** doublings)
    }),
  )
  const lists = histories.map(({ found }) => found)
  const entries = [...new Map(lists.flat().map((entry) => [entry.signature, entry])).values()]
  return {
    entries: entries.toSorted((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0)),
    newest: lists.flatMap((list) => list.at(-1) ?? []),
    settle() {
      for (const [position, place] of walked.entries()) {
        const { found, isWhole } = histories[position] ?? { found: [], isWhole: false }
        if (isWhole) settle(chain, place, found, head.slot)
        else bury(chain, place, found.length)
      }
      for (const { account, held } of seen.filter((one) => !changed.includes(one))) {
        const listed = scanMemory.held.get(account)?.listed ?? 0n
        scanMemory.held.set(account, { units: held, slot: head.slot, listed })
      }
      if (isDue || isFarDue) Object.assign(scanMemory, { walkedAt: at, walkedTo: head.slot })
      if (isFarDue) scanMemory.walkedFarAt = at
      if (hasChanged) scanMemory.changedAt = at
    },
  }
}

/** Marks an account that more transactions touched than were read: earlier ones may have brought money. */
function bury({ scanMemory, network, log }: SolanaChain, { account }: Place, read: number): void {
  const times = (scanMemory.buried.get(account) ?? 0) + 1
  scanMemory.buried.set(account, times)
  const fields = { network: network.name, account, read }
  if (times > MOST_DOUBLINGS)
    log.error(fields, 'a deposit address was touched so often that its deposits cannot be read: scan its blocks')
  else log.warn(fields, 'a deposit address was touched more often than is read at once: it is read on')
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

type Seen = Place & { held: string }

/**
 * Records an account as known if the newest transaction in its list left the current balance; else the list may be
 * incomplete and is read again.
 */
function settle(
  { scanMemory }: SolanaChain,
  { account, held, mint, kind }: Seen,
  list: readonly HistoryEntry[],
  slot: bigint,
): void {
  const landed = scanMemory.read.get(list.at(-1)?.signature ?? '')
  const isExplained = scanMemory.held.get(account)?.units === held || (landed && leftBy(landed, account, mint) === held)
  const doubts = scanMemory.doubts.get(account) ?? 0
  // An empty account that no transaction touched needs no explanation.
  const isBare = held === '' && list.length === 0
  if (!isExplained && !isBare && (kind !== 'treasury' || doubts < MOST_DOUBTS)) {
    scanMemory.doubts.set(account, doubts + 1)
    return
  }
  scanMemory.doubts.delete(account)
  scanMemory.buried.delete(account)
  const listed = list.at(-1)?.slot ?? scanMemory.held.get(account)?.listed ?? 0n
  scanMemory.held.set(account, { units: held, slot, listed })
}

/** The balance that a transaction left in an account, in the form of `heldBy`. */
function leftBy(
  { accounts: all, postBalances, postTokens }: LandedTransaction,
  account: Address,
  mint: Address | null,
) {
  const position = all.indexOf(account)
  if (mint !== null) return postTokens.find(({ index }) => index === position)?.units.toString() ?? ''
  return postBalances[position] ? String(postBalances[position]) : ''
}

/** The balance of a token account or a wallet; empty if there is none. */
function heldBy({ mint }: Place, account: AccountData | null): string {
  if (account === null) return ''
  return (mint === null ? account.lamports : tokenUnits(account.data)).toString()
}

/**
 * The account's signatures, oldest first. The node returns the newest ones; older ones are requested until the range is
 * covered.
 */
async function signaturesSince(
  node: Node,
  address: Address,
  since: bigint,
  seenBy: bigint,
  mostPages: number | null,
): Promise<{ found: HistoryEntry[]; isWhole: boolean }> {
  const found: HistoryEntry[] = []
  let before: string | null = null
  for (let pages = 0; mostPages === null || pages < mostPages; pages++) {
    const [page]: readonly [HistoryEntry[]] = await node.ask([historyOf(address, seenBy, before)])
    const last = page.at(-1)
    found.push(...page.filter(({ slot }) => slot > since))
    if (!last || last.slot <= since) return { found: found.toReversed(), isWhole: true }
    before = last.signature
  }
  return { found: found.toReversed(), isWhole: false }
}
