/**
 * Before a payout gets its slot: does the chain know transactions of our wallet that the books do not? Looked at before the
 * first payout of a process and now and then. Found at once, or in the week after a restore, the database went back in time: everything
 * is paused, and the operator is told what to run. Found later, somebody else signs with the wallet's key: the wallet is halted.
 */
import { type ChainAdapter, type Movement, RetryLater, type WalletHold } from '@causeway/core'
import { readHistory, rememberBeginning, unknownWaiting, type WalletHistory } from '../../market/history.ts'
import type { Services } from '../../services.ts'
import type { Database } from '../../store/db/database.ts'
import { saveChecked } from '../../store/ledger/wallet-checks.ts'
import { haltWallet, isWallet, listHalts } from '../../store/limits/halts.ts'
import { listSwitches, setSwitch } from '../../store/limits/safeguards.ts'
import { lastRestoration } from '../../store/restore/restored.ts'
import { networksOfSwaps, type PayoutRow } from '../../store/swaps/swaps.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/** Theft shows in the balances within a minute as well; this is as fast. */
const LOOK_EVERY_MS = 60_000
/** After a restore what was still on its way may land: for a day every payout looks first. */
const WARY_MS = 24 * 3_600_000
/** And what is found so long after it is taken for forgotten, not for stolen: a node may have lagged when "restored" was said. */
const FORGOTTEN_MS = 7 * WARY_MS
/** So long a look is good for all that are paid together. */
const JUST_NOW_MS = 5_000
/** What the service waits for at its start; a node that does not answer is asked again before the first payout. */
const START_MS = 5_000

/** What a process found at its last look. */
interface Look {
  atMs: number
  checkedTo: bigint
  unknown: Movement[]
  /** Found now, also where the wallet alone is halted for it. */
  found: Movement[]
  /** At the start of the service, when its node may have lagged: before anything is paid, somebody looks once more. */
  isFirst: boolean
}

/** Of one process: another one looks for itself. */
const looks = new WeakMap<Database, Map<string, Look>>()

/**
 * Nobody could look yet what a wallet has done: what is owed may have been paid, there or on another network, in a time that the
 * database has forgotten. It is neither paid nor given up until somebody has looked.
 */
class NotLooked extends RetryLater {
  override name = 'NotLooked'
}

/** What is asked once for all wallets of a payout. */
interface Mood {
  isWary: boolean
  halts: Awaited<ReturnType<typeof listHalts>>
}

/**
 * Throws `PayoutOnHold` if a wallet sent what is not in the ledger, `RetryLater` if no node can tell now. Asked are the wallet that pays and
 * all from which the same money may have gone before: that a swap was delivered shows on another network than its refund.
 */
export async function requireKnownHistory(
  services: Services,
  chain: ChainAdapter,
  payouts: readonly PayoutRow[],
): Promise<void> {
  const [mood, behind] = await Promise.all([moodOf(services), walletsBehind(services, payouts)])
  await requireKnown(services, chain, mood)
  const others = new Set([...behind.values()].flat())
  for (const one of others) if (one.network.name !== chain.network.name) await requireKnownBehind(services, one, mood)
}

/** Payouts of which another wallet may have paid that was not looked at just now, by what that is: they are asked about by themselves. */
export async function notLookedAt(
  services: Services,
  { network }: ChainAdapter,
  payouts: readonly PayoutRow[],
): Promise<Map<string, unknown>> {
  const [mood, behind] = await Promise.all([moodOf(services), walletsBehind(services, payouts)])
  const isUnknown = (one: ChainAdapter) =>
    one.network.name !== network.name && (unknownOutflowOf(one, mood) !== null || !isLookedAt(services, one, mood))
  const found = [...behind].filter(([, chains]) => chains.some(isUnknown))
  return new Map(found.map(([id]) => [id, new NotLooked('another network was not looked at')]))
}

/** From which wallets the money of these payouts may have gone before, by payout. */
async function walletsBehind(
  { chains, database }: Services,
  payouts: readonly PayoutRow[],
): Promise<Map<string, ChainAdapter[]>> {
  const swaps = await networksOfSwaps(
    database,
    payouts.flatMap(({ swap_id }) => swap_id ?? []),
  )
  return new Map(
    payouts.map(({ id, kind, swap_id }) => {
      const networks = swap_id === null ? [] : (swaps.get(swap_id) ?? [])
      // What is nobody's may have been given to any swap, and paid anywhere.
      const isAnywhere = kind === 'return' && swap_id === null
      return [id, [...chains.values()].filter(({ network }) => isAnywhere || networks.includes(network.name))]
    }),
  )
}

async function moodOf(services: Services): Promise<Mood> {
  const [wary, halts] = await Promise.all([isRestoredSince(services, WARY_MS), listHalts(services.database)])
  return { isWary: wary, halts }
}

async function requireKnown(services: Services, chain: ChainAdapter, mood: Mood): Promise<void> {
  const last = looksOf(services).get(chain.network.name)
  // A halted wallet is looked at before a person releases it: what was accepted then must not halt it again.
  if (isFresh(services, last) && !mood.isWary && !haltOf(chain, mood)) return
  assertKnown(chain, isKnown(services, chain) ? await lookAt(services, chain) : await firstLook(services, chain))
}

/** A node that is away now keeps nobody waiting where somebody has looked before, unless the database has just been restored. */
async function requireKnownBehind(services: Services, chain: ChainAdapter, mood: Mood): Promise<void> {
  const cause = unknownOutflowOf(chain, mood)
  if (cause) throw new PayoutOnHold(cause)
  const last = looksOf(services).get(chain.network.name)
  if (isFresh(services, last) && !mood.isWary) return
  const mustLook = mood.isWary || !isKnown(services, chain)
  try {
    const look = await lookAt(services, chain)
    assertKnown(chain, { unknown: look.found })
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
    if (mustLook) throw new NotLooked(error.message)
  }
}

function isFresh({ now }: Services, last: Look | undefined): boolean {
  if (!last || last.isFirst || last.unknown.length > 0) return false
  return now().getTime() - last.atMs < LOOK_EVERY_MS
}

/** For those that are paid along: whoever is paid first has looked just now. */
function isLookedAt(services: Services, chain: ChainAdapter, { isWary: wary }: Mood): boolean {
  const atMs = looksOf(services).get(chain.network.name)?.atMs ?? 0
  return isKnown(services, chain) && (!wary || services.now().getTime() - atMs < JUST_NOW_MS)
}

function isKnown(services: Services, { network }: ChainAdapter): boolean {
  const last = looksOf(services).get(network.name)
  return last !== undefined && !last.isFirst && last.unknown.length === 0
}

function haltOf({ network, treasury }: ChainAdapter, { halts }: Mood) {
  return halts.find((halt) => isWallet(halt, network.name, treasury))
}

/** Halted for a transaction that is not in the ledger: until a person has looked, it may have paid anything. */
function unknownOutflowOf(chain: ChainAdapter, mood: Mood): OutflowHold | null {
  const causes = haltOf(chain, mood)?.causes.map(({ hold }) => hold) ?? []
  return causes.find((hold) => hold.code === 'unknown_outflow') ?? null
}

function assertKnown(chain: ChainAdapter, { unknown }: Pick<Look, 'unknown'>): void {
  if (unknown.length > 0) throw new PayoutOnHold(outflowHold(chain, unknown))
}

async function firstLook(services: Services, chain: ChainAdapter): Promise<Look> {
  try {
    return await lookAt(services, chain)
  } catch (error) {
    throw error instanceof RetryLater ? new NotLooked(error.message) : error
  }
}

/** At the start of the service: all networks that answer soon. */
export async function lookAtWallets(services: Services): Promise<void> {
  for (const chain of services.chains.values()) await rememberBeginning(services.database, chain)
  const all = [...services.chains.values()].map((chain) =>
    lookAt(services, chain, true).catch((error) => {
      const fields = { network: chain.network.name, err: error }
      services.log[error instanceof RetryLater ? 'warn' : 'error'](fields, 'the history of a wallet could not be read')
    }),
  )
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, START_MS)
  })
  await Promise.race([Promise.all(all), patience])
  clearTimeout(timer)
}

async function lookAt(services: Services, chain: ChainAdapter, isAtStart = false): Promise<Look> {
  // A database that went back in time does not know what it signed: until the journal is replayed, that is no theft.
  if (services.signing.stopped !== null) throw new RetryLater('signing is stopped')
  const known = looksOf(services)
  const last = known.get(chain.network.name)
  const history = await readHistory(services.database, chain)
  const look: Look = {
    atMs: services.now().getTime(),
    checkedTo: last?.checkedTo ?? -1n,
    unknown: history?.unknown ?? [],
    found: history?.unknown ?? [],
    isFirst: isAtStart,
  }
  if (history) {
    const isForgotten = history.unknown.length > 0 && (await isRestoredSince(services, FORGOTTEN_MS))
    const hasGoneBack = !last || last.unknown.length > 0 || history.from <= last.checkedTo || isForgotten
    if (history.unknown.length > 0 && hasGoneBack) await pauseAll(services, chain, history, last)
    else look.checkedTo = await goOn(services, chain, history)
    // The wallet is halted for it, and a person has been told: that is enough.
    if (!hasGoneBack) look.unknown = []
  }
  const [waiting] = look.unknown.length === 0 ? await unknownWaiting(services.database, chain) : []
  if (waiting) {
    known.delete(chain.network.name)
    throw new PayoutOnHold({ code: 'unknown_pending', network: chain.network.name, txHash: waiting })
  }
  known.set(chain.network.name, look)
  return look
}

async function goOn(services: Services, chain: ChainAdapter, history: WalletHistory): Promise<bigint> {
  const { name } = chain.network
  const { from, final, unknown } = history
  const checkedTo = final > from - 1n ? final : from - 1n
  await services.database.transaction().execute(async (queries) => {
    await saveChecked(queries, name, chain.treasury, unknown.length > 0 ? history.head : checkedTo, services.now())
    if (unknown.length === 0) return
    // A cause of its own, even if the wallet is halted already for the missing coins: the history check looks for it.
    const place = { network: name, account: chain.treasury }
    await haltWallet(queries, place, outflowHold(chain, unknown), services.now())
    services.metrics.alerts.inc()
    services.log.error(fieldsOf(chain, unknown), 'a wallet sent what the books do not know: it is halted')
  })
  return unknown.length > 0 ? history.head : checkedTo
}

const SERVICE_SCOPE = 'service'

async function pauseAll(
  services: Services,
  chain: ChainAdapter,
  { unknown }: WalletHistory,
  last: Look | undefined,
): Promise<void> {
  const isNews = last?.unknown.length !== unknown.length
  if (isNews) services.metrics.alerts.inc()
  if (isNews)
    services.log.error(fieldsOf(chain, unknown), 'the books do not know what a wallet did: everything is paused')
  const switches = await listSwitches(services.database)
  const isPaused = switches.some((row) => row.scope === SERVICE_SCOPE && row.stops_swaps && row.stops_payouts)
  if (isPaused) return
  const reason = `the books do not know all that the wallet on ${chain.network.name} sent; run "npm run admin -- restored"`
  await setSwitch(services.database, {
    scope: SERVICE_SCOPE,
    stops_swaps: true,
    stops_payouts: true,
    code: 'unknown_outflow',
    reason,
  })
}

type OutflowHold = Extract<WalletHold, { code: 'unknown_outflow' }>

function outflowHold({ network }: ChainAdapter, unknown: readonly Movement[]): OutflowHold {
  return { code: 'unknown_outflow', network: network.name, txHash: unknown[0]?.txHash ?? '', count: unknown.length }
}

function fieldsOf({ network, treasury }: ChainAdapter, unknown: readonly Movement[]) {
  return { network: network.name, wallet: treasury, transactions: unknown.slice(0, 10).map(({ txHash }) => txHash) }
}

async function isRestoredSince(services: Services, ms: number): Promise<boolean> {
  const at = await lastRestoration(services.database)
  return at !== null && services.now().getTime() - at.getTime() < ms
}

function looksOf({ database }: Services): Map<string, Look> {
  const found = looks.get(database) ?? new Map<string, Look>()
  looks.set(database, found)
  return found
}
