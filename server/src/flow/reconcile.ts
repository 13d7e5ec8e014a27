/**
 * Compares the books with the chain, wallet by wallet: to the unit while nothing of a wallet is in motion, and by a lower
 * bound while the hot wallet works. The first steady look opens the books. Later, coins that came unannounced are booked as
 * nobody's; coins that went without a payout of ours halt the wallet: it signs nothing until a person has looked. A
 * difference counts only where the node that told of it knows all that the scan knows, and the scan all that the node knows.
 */
import {
  type Address,
  type ChainAdapter,
  capitalMoved,
  networkFeePaid,
  swept,
  type Token,
  unannounced,
} from '@causeway/core'
import type { Services } from '../services.ts'
import { readPosition } from '../store/cursors.ts'
import type { Queries } from '../store/database.ts'
import { lostDeposits } from '../store/deposits.ts'
import {
  type Finding,
  isInMotion,
  lastFinding,
  ledgerHolders,
  ledgerUnits,
  lockFinding,
  saveFinding,
  unbalancedPostings,
  unsettledUnits,
} from '../store/ledger.ts'
import { insertPosting } from '../store/progress.ts'
import { haltWallet } from '../store/safeguards.ts'
import { LOOKED_UP_FOR } from './confirm.ts'
import { watchlistOf } from './match.ts'

/** Deposit addresses looked at in one round, for each token. */
const ADDRESSES = 50

export async function reconcile(services: Services): Promise<void> {
  const { log, metrics, database } = services
  const broken = await unbalancedPostings(database, 10)
  if (broken.length > 0) {
    metrics.alerts.inc()
    log.error({ postings: broken }, 'postings do not balance')
  }
  for (const chain of services.chains.values()) {
    try {
      for (const token of chain.network.tokens) await reconcileToken(services, chain, token)
    } catch (error) {
      log.warn({ network: chain.network.name, err: error }, 'a network could not be reconciled')
    }
  }
}

async function reconcileToken(services: Services, chain: ChainAdapter, token: Token): Promise<void> {
  const { treasury } = chain
  await compare(services, chain, token, treasury, (queries, finding) =>
    settleTreasury(services, queries, chain, token, finding),
  )
  for (const { owner } of await ledgerHolders(services.database, token, treasury, ADDRESSES)) {
    await compare(services, chain, token, owner, (queries, finding) =>
      settleAddress(services, queries, chain, token, owner, finding),
    )
  }
}

/** Books a difference, or halts the wallet, in the caller's transaction. */
type Settle = (queries: Queries, finding: Finding) => Promise<void>

/** Acts on a difference only where two looks in a row found the same, with nothing in motion at either. */
async function compare(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  settle: Settle,
): Promise<void> {
  const { database } = services
  if (await isInMotion(database, token, owner))
    return owner === chain.treasury ? bound(services, chain, token) : undefined
  const booked = await ledgerUnits(database, owner, token)
  const { units: chainUnits } = await chain.balance(owner, token)
  const last = await lastFinding(database, owner, token)
  const head = (await readPosition(database, chain.network.name))?.headNumber ?? null
  const isSame = last !== null && last.chainUnits - last.ledgerUnits === chainUnits - booked
  const sinceBlock = isSame ? (last.sinceBlock ?? head) : head
  const opened = last?.opened ?? false
  const finding = { chainUnits, ledgerUnits: booked, opened, short: false, sinceBlock }
  // A deposit that the scan has not reached yet is in the balance already: the first look alone proves nothing.
  const isSteady = last !== null && last.chainUnits === chainUnits && last.ledgerUnits === booked
  const isSurplus = opened && chainUnits > booked
  // A node that lags does not know the newest deposits. What no reorg can take back any more it must know.
  const isYoung = opened && chainUnits + (await unsettledUnits(database, token, owner, null)) >= booked
  const isDifferent = isSteady && chainUnits !== booked && (isSurplus ? hasLasted(chain, sinceBlock, head) : !isYoung)
  if (isDifferent && !(await isSettled(services, chain, token, owner))) return
  if (isDifferent && (await chain.balance(owner, token)).units !== chainUnits) return
  await database.transaction().execute(async (queries) => {
    // One at a time: whoever was paused since it looked finds that the books have moved on.
    await lockFinding(queries, owner, token)
    if ((await isInMotion(queries, token, owner)) || (await ledgerUnits(queries, owner, token)) !== booked) return
    if (isDifferent) await settle(queries, finding)
    await saveFinding(queries, owner, token, { ...finding, opened: finding.opened || isSteady }, services.now())
  })
}

/**
 * Coins that nobody announced may be a deposit that the scan will come to, or one that vanished and will be found again:
 * they are nobody's only when all of that is over. Nothing is lost by waiting.
 */
function hasLasted({ network }: ChainAdapter, sinceBlock: bigint | null, head: bigint | null): boolean {
  return sinceBlock !== null && head !== null && head - sinceBlock >= LOOKED_UP_FOR * BigInt(network.finalDepth)
}

/** Fees fall faster than payouts are settled. Whoever takes coins takes more than a payout could cost at the worst of times. */
const FEE_MARGIN = 1_000n

/**
 * A hot wallet that always works never stands still, and must not be unwatched for that: it holds at least what the books
 * say, less all that may have left it and is not booked yet. Two looks in a row below that halt it.
 */
async function bound(services: Services, chain: ChainAdapter, token: Token): Promise<void> {
  const { treasury } = chain
  const { database } = services
  const last = await lastFinding(database, treasury, token)
  if (!last?.opened) return
  const isNative = token.contract === null
  const fees = isNative ? Object.values(await chain.fees()) : []
  const dearest = fees.reduce((most, fee) => (fee > most ? fee : most), 0n)
  const { units: chainUnits } = await chain.balance(treasury, token)
  const isCertain = !last.short || (await isSettled(services, chain, token, treasury))
  await database.transaction().execute(async (queries) => {
    await lockFinding(queries, treasury, token)
    const booked = await ledgerUnits(queries, treasury, token)
    const unsettled = await unsettledUnits(queries, token, treasury, isNative ? FEE_MARGIN * dearest : null)
    const missing = booked - unsettled - (isNative ? (chain.upkeepUnits ?? 0n) : 0n) - chainUnits
    const isShort = missing > 0n
    if (isShort && last.short && isCertain) await halt(services, queries, token, treasury, missing)
    await saveFinding(queries, treasury, token, { ...last, short: isShort }, services.now())
  })
}

async function halt(
  { log, metrics }: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  missing: bigint,
): Promise<void> {
  const reason = `${missing} base units of ${token.symbol} are missing`
  if (!(await haltWallet(queries, token.network, wallet, reason))) return
  metrics.alerts.inc()
  log.error(
    { network: token.network, wallet, token: token.symbol, missing: `${missing}` },
    'coins are missing: the wallet is halted',
  )
}

/**
 * Whether scan and balance tell of the same blocks. A node that lags, or follows another branch, shows a balance of another
 * time; coins that the scan is about to see, or that came back after a reorg, are announced already.
 */
async function isSettled(services: Services, chain: ChainAdapter, token: Token, owner: Address): Promise<boolean> {
  const { database } = services
  const ours = watchlistOf(services, chain)
  const position = await readPosition(database, chain.network.name)
  if (!position || position.recheckFrom !== null) return false
  const scan = await chain.scan(position.cursor, ours)
  if (scan.reorgFrom !== null || scan.scannedTo !== scan.head.number) return false
  if (scan.sightings.some(({ to, block }) => to === owner && block !== null)) return false
  for (const txHash of await lostDeposits(database, token, owner)) {
    if ((await chain.inspect(txHash, ours)).state === 'included') return false
  }
  return true
}

async function settleTreasury(
  services: Services,
  queries: Queries,
  { treasury: wallet, upkeepUnits = 0n }: ChainAdapter,
  token: Token,
  { chainUnits, ledgerUnits: booked, opened }: Finding,
): Promise<void> {
  const { log } = services
  const difference = chainUnits - booked
  const fields = { network: token.network, wallet, token: token.symbol, difference: `${difference}` }
  if (!opened) {
    await insertPosting(queries, capitalMoved(wallet, token, difference), null)
    log.info(fields, 'books opened')
  } else if (difference > 0n) {
    await insertPosting(queries, unannounced(wallet, token, difference), null)
    log.warn(fields, 'coins came that nobody announced')
  } else if (token.contract === null && -difference <= upkeepUnits) {
    await insertPosting(queries, networkFeePaid(wallet, token, -difference), null)
  } else await halt(services, queries, token, wallet, -difference)
}

/** Anybody may sweep a deposit address into the treasury: then it holds less, and the treasury as much more. */
async function settleAddress(
  { log }: Services,
  queries: Queries,
  chain: ChainAdapter,
  token: Token,
  address: Address,
  { chainUnits, ledgerUnits: booked }: Finding,
): Promise<void> {
  const fields = { network: token.network, address, token: token.symbol, difference: `${chainUnits - booked}` }
  if (chainUnits < booked) {
    await insertPosting(queries, swept(address, chain.treasury, token, booked - chainUnits), null)
    log.warn(fields, 'a deposit address was emptied by somebody else')
  } else {
    await insertPosting(queries, unannounced(address, token, chainUnits - booked), null)
    log.warn(fields, 'coins came to a deposit address that nobody announced')
  }
}
