/**
 * Compares a wallet's balance at a final block with the ledger at that block. The first comparison sets the opening
 * balance of the hot wallet. Later, a lasting unexplained credit is booked as unmatched, and an unexplained shortfall
 * halts the wallet. Two comparisons at different blocks must agree.
 */
import {
  type Address,
  type ChainAdapter,
  capitalMoved,
  networkFeePaid,
  ORPHAN_LOOKUP_DEPTHS,
  swept,
  type Token,
  unexplainedCredit,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { hasUnlooked, movedSince, setLooked, unitsAt } from '../../store/ledger/balances.ts'
import {
  dropFinding,
  type Finding,
  lastFinding,
  lockFinding,
  saveFinding,
  saveSeen,
} from '../../store/ledger/ledger.ts'
import { markGone } from '../../store/ledger/mark-gone.ts'
import { findSigned } from '../../store/payouts/attempts.ts'
import { clearEmptied, countEmptied } from '../../store/restore/barrier.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { walletOf } from '../../store/watch/addresses.ts'
import { type BalanceSnapshot, isBeingSwept, openTransfers } from '../../store/watch/balance-snapshots.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { isAgreed } from './agreement.ts'
import { spendAllowance } from './allowances.ts'
import { type Ahead, isSnapshotComparable, peekScan } from './comparable.ts'
import { clearShortfall, haltWalletForShortfall } from './halt.ts'

interface Look {
  services: Services
  chain: ChainAdapter
  token: Token
  holding: BalanceSnapshot
  /** The surplus; negative if coins are missing. */
  difference: bigint
  ahead: Ahead
}

/**
 * False if the comparison cannot be decided yet. `shared`: reads of the same round, for deposit addresses, which are
 * never halted.
 */
export async function compareBalances(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  holding: BalanceSnapshot,
  shared: Ahead,
): Promise<boolean> {
  const { database } = services
  const { account: owner } = holding
  const ahead = owner === chain.treasury ? peekScan(services, chain) : shared
  const look = async (queries: Queries): Promise<Look> => {
    const difference = await differenceAt(queries, chain, token, holding)
    return { services, chain, token, holding, difference, ahead }
  }
  const first = await look(database)
  const last = await lastFinding(database, owner, token)
  const isOpen = owner !== chain.treasury || last?.opened
  if (first.difference === 0n && isOpen) {
    await agree(services, chain, token, owner, holding.block_number)
    return true
  }
  const told = await canTell(first)
  if (told !== 'yes') return told === 'never'
  const settle = (agreed: bigint | null): Promise<boolean | Unagreed> =>
    database.transaction().execute(async (queries) => {
      if (owner !== chain.treasury) await keepRow(queries, first)
      // Comparisons run one at a time. A process that was paused after its read sees here that the ledger has changed.
      const finding = await lockFinding(queries, owner, token)
      const now = await look(queries)
      if (!finding || now.difference !== first.difference) return false
      if (owner !== chain.treasury) return (await settleAddress(queries, now, finding, agreed)) ?? true
      await settleTreasury(queries, now, finding)
      return true
    })
  const settled = await settle(null)
  if (typeof settled === 'boolean') return settled
  if (!(await isAgreed(services, chain, token, owner, settled.wanted))) return true
  return (await settle(settled.wanted)) === true
}

/** What would be booked for a deposit address once other nodes have confirmed it; negative if coins are missing. */
interface Unagreed {
  wanted: bigint
}

async function differenceAt(
  queries: Queries,
  { network, treasury, balanceNoise }: ChainAdapter,
  token: Token,
  { account, block_number, units }: BalanceSnapshot,
): Promise<bigint> {
  const sureTo = account === treasury ? block_number - BigInt(network.finalDepth) : undefined
  const { least, seen } = await unitsAt(queries, account, token, block_number, sureTo)
  const noise = balanceNoise?.(units) ?? 0n
  if (units < least - noise) return units - least
  return units > least + seen + noise ? units - least - seen : 0n
}

/** Clears the finding: the difference has disappeared. */
async function agree(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  block: bigint,
): Promise<void> {
  const { database } = services
  const nothing = { found_units: null, found_block: null, ...NO_SURPLUS }
  if (owner === chain.treasury) {
    await saveFinding(database, owner, token, nothing)
    await clearShortfall(services, database, token, owner, block)
  } else await dropFinding(database, owner, token)
  await setLooked(database, token, owner, block)
}

/** Stores a row for a deposit address only while there is a difference; such an address is checked again soon. */
async function keepRow(queries: Queries, { token, holding, difference }: Look): Promise<void> {
  const { account, units, block_number, at } = holding
  const ledgerUnits = units - difference
  await saveSeen(queries, account, token, { chainUnits: units, ledgerUnits, block: block_number, at })
  await setLooked(queries, token, account, null)
}

/** Whether the ledger is complete up to that block, so that a difference is real. */
async function canTell({
  services,
  chain,
  token,
  holding,
  difference,
  ahead,
}: Look): Promise<'yes' | 'later' | 'never'> {
  const { database } = services
  const { account, block_number: block, block_hash: hash, slots_to: slotsTo } = holding
  if (account !== chain.treasury && (await isBeingSwept(database, token.network, account))) return 'never'
  if (hash === null && !(await wasStill({ services, chain, token, holding }))) return 'never'
  // A former wallet may have transactions in flight, too.
  if (await mayHaveLanded(services, chain, account, slotsTo, block)) return 'later'
  const kind = difference < 0n ? 'missing' : 'too much'
  return (await isSnapshotComparable(services, chain, token, account, kind, ahead, block)) ? 'yes' : 'later'
}

/**
 * A balance without a block number may be up to `finalDepth` blocks old: it is comparable only if nothing moved in
 * these blocks.
 */
async function wasStill({ services, chain, token, holding }: Omit<Look, 'difference' | 'ahead'>): Promise<boolean> {
  const { database } = services
  const { account, block_number: block } = holding
  if (await movedSince(database, account, token, block - BigInt(chain.network.finalDepth))) return false
  const open = await openTransfers(database, chain.network.name, chain.treasury, MAX_SLOT)
  return open.length === 0
}

const MAX_SLOT = 2n ** 63n - 1n

/** Whether a transaction of ours is mined up to that block and not booked yet, because fees are booked when final. */
async function mayHaveLanded(
  { database }: Services,
  chain: ChainAdapter,
  account: Address,
  slotsTo: bigint,
  upTo: bigint,
): Promise<boolean> {
  for (const { block, parts, hashes } of await openTransfers(database, chain.network.name, account, slotsTo)) {
    if (block !== null && block <= upTo) return true
    if (block !== null) continue
    for (const hash of hashes) {
      const status = await chain.status({ hash, slot: parts, account }, (before) =>
        findSigned(database, chain.network.name, before),
      )
      if ((status.state === 'included' || status.state === 'reverted') && status.block.number <= upTo) return true
    }
  }
  return false
}

/**
 * Whether the previous check found the same difference, and neither came from a node on another branch: the scan has
 * been at both blocks, or they are further apart than any branch is long.
 */
function isSecond({ chain, holding }: Look, { found_units, found_block, found_verified }: Finding): boolean {
  if (found_units === null || found_block === null || holding.block_number <= found_block) return false
  const isVerified = holding.verified && found_verified
  return isVerified || holding.block_number - found_block >= BigInt(chain.network.finalDepth)
}

function foundIn({ holding, difference }: Look) {
  return { found_units: difference, found_block: holding.block_number, found_verified: holding.verified }
}

const NO_SURPLUS = { surplus_units: null, since_block: null, since_at: null }
/** Some families read old addresses a few at a time, so the scan may find their deposits much later. */
const ADDRESS_MS = 3_600_000

async function settleTreasury(queries: Queries, look: Look, finding: Finding): Promise<void> {
  const { services, chain, token, difference } = look
  const { treasury: wallet } = chain
  const { block_number: block } = look.holding
  const { log } = services
  const save = (values: Parameters<typeof saveFinding>[3]) => saveFinding(queries, wallet, token, values)
  const fields = { network: token.network, wallet, token: token.symbol, difference: `${difference}` }
  if (!finding.opened) {
    const isSure = look.holding.verified || (finding.found_units === difference && isSecond(look, finding))
    if (!isSure) return save(foundIn(look))
    if (difference !== 0n) await insertPosting(queries, capitalMoved(wallet, token, difference), null)
    log.info(fields, 'ledger opened')
    return save({ opened: true, found_units: null, found_block: null, ...NO_SURPLUS })
  }
  if (difference > 0n) {
    await clearShortfall(services, queries, token, wallet, block)
    const lasting = await lastingSurplus(queries, look, finding)
    if (lasting === null) return
    await bookSurplus(queries, look, lasting)
    log.warn({ ...fields, difference: `${lasting}` }, 'unexplained credit to a wallet')
    return
  }
  if (token.contract === null && (await spendAllowance(queries, chain, -difference, block, services.now()))) {
    await insertPosting(queries, networkFeePaid(wallet, token, -difference), null)
    await clearEmptied(queries, token.network)
    await setLooked(queries, token, wallet, block)
    await clearShortfall(services, queries, token, wallet, block)
    return save({ found_units: null, found_block: null, ...NO_SURPLUS })
  }
  const isMissingAgain = finding.found_units !== null && finding.found_units < 0n && isSecond(look, finding)
  const missing = { units: -difference, block, isFinal: true }
  if (isMissingAgain) await haltWalletForShortfall(services, queries, token, wallet, missing)
  await save({ ...foundIn(look), ...NO_SURPLUS })
}

/**
 * An unexplained credit may be a deposit that the scan will reach, one that vanished and will return, or an external
 * sweep. It is booked as unmatched only when all of these are ruled out. Waiting loses nothing. Null while it must wait.
 */
async function lastingSurplus(queries: Queries, look: Look, finding: Finding): Promise<bigint | null> {
  const { services, chain, token, holding, difference } = look
  const { finalDepth, name } = chain.network
  const { account: owner, block_number: block } = holding
  const lasting =
    finding.surplus_units !== null && finding.surplus_units < difference ? finding.surplus_units : difference
  const since = finding.surplus_units === null ? block : (finding.since_block ?? block)
  const head = (await readPosition(queries, name))?.headNumber ?? block
  // Two reads at nearly the same block of one branch prove no more than one.
  const wasThere = finding.surplus_units !== null && isSecond(look, finding)
  const sinceAt = (finding.surplus_units === null ? null : finding.since_at) ?? services.now()
  const isOld = owner === chain.treasury || services.now().getTime() - sinceAt.getTime() >= ADDRESS_MS
  const hasLasted = wasThere && isOld && head - since >= ORPHAN_LOOKUP_DEPTHS * BigInt(finalDepth)
  if (!hasLasted || (await hasUnlooked(queries, token, owner, chain.treasury, since))) {
    await saveFinding(queries, owner, token, {
      ...foundIn(look),
      surplus_units: lasting,
      since_block: since,
      since_at: sinceAt,
    })
    return null
  }
  return lasting
}

async function bookSurplus(queries: Queries, { token, holding }: Look, units: bigint): Promise<void> {
  await insertPosting(queries, unexplainedCredit(holding.account, token, units), null)
  await saveFinding(queries, holding.account, token, { found_units: null, found_block: null, ...NO_SURPLUS })
}

/**
 * Anyone may sweep a deposit address into its wallet: then the address holds less, and the wallet more. After a change
 * of keys that is a former wallet. Books only what other nodes have `agreed` to, and returns what they must be asked about.
 */
async function settleAddress(
  queries: Queries,
  look: Look,
  finding: Finding,
  agreed: bigint | null,
): Promise<Unagreed | null> {
  const { services, chain, token, holding, difference } = look
  const { account: address, block_number: block } = holding
  const fields = { network: token.network, address, token: token.symbol, difference: `${difference}` }
  if (difference > 0n) {
    const lasting = await lastingSurplus(queries, look, finding)
    if (lasting === null) return null
    if (agreed !== lasting) return { wanted: lasting }
    await bookSurplus(queries, look, lasting)
    services.log.warn(fields, 'unexplained credit to a deposit address')
    return null
  }
  const isMissingAgain = finding.found_units !== null && finding.found_units < 0n && isSecond(look, finding)
  if (!isMissingAgain) {
    await saveFinding(queries, address, token, { ...foundIn(look), ...NO_SURPLUS })
    return null
  }
  if (agreed !== difference) return { wanted: difference }
  const wallet = (await walletOf(queries, token.network, address)) ?? chain.treasury
  await insertPosting(queries, swept(address, wallet, token, -difference), null, block)
  if (wallet !== chain.treasury) await setLooked(queries, token, wallet, null)
  await markGone(queries, token, address, block, { emptied: true })
  if (token.contract === null) await countEmptied(queries, token.network)
  await dropFinding(queries, address, token)
  services.log.warn(fields, 'a deposit address was swept externally')
  return null
}
