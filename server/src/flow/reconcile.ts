/**
 * Compares the books with the chain, wallet by wallet, while nothing of a wallet is in motion. The first steady look opens
 * the books. Later, coins that came unannounced are booked as nobody's; coins that went without a payout of ours halt the
 * wallet: it signs nothing until a person has looked.
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
import {
  type Finding,
  isInMotion,
  lastFinding,
  ledgerHolders,
  ledgerUnits,
  saveFinding,
  unbalancedPostings,
} from '../store/ledger.ts'
import { insertPosting } from '../store/progress.ts'
import { haltWallet } from '../store/safeguards.ts'

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
  await compare(services, chain, token, treasury, (finding) => settleTreasury(services, chain, token, finding))
  for (const { owner } of await ledgerHolders(services.database, token, treasury, ADDRESSES)) {
    await compare(services, chain, token, owner, (finding) => settleAddress(services, chain, token, owner, finding))
  }
}

type Settle = (finding: Finding) => Promise<void>

/** Acts on a difference only where two looks in a row found the same, with nothing in motion at either. */
async function compare(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  settle: Settle,
): Promise<void> {
  const { database } = services
  if (await isInMotion(database, token, owner)) return
  const before = await ledgerUnits(database, owner, token)
  const { units: chainUnits } = await chain.balance(owner, token)
  if ((await isInMotion(database, token, owner)) || (await ledgerUnits(database, owner, token)) !== before) return
  const last = await lastFinding(database, owner, token)
  const finding = { chainUnits, ledgerUnits: before, opened: last?.opened ?? false }
  // A deposit that the scan has not reached yet is in the balance already: the first look alone proves nothing.
  const isSteady = last !== null && last.chainUnits === chainUnits && last.ledgerUnits === before
  if (isSteady && chainUnits !== before) await settle(finding)
  await saveFinding(database, owner, token, { ...finding, opened: finding.opened || isSteady }, services.now())
}

async function settleTreasury(
  services: Services,
  { treasury: wallet, upkeepUnits = 0n }: ChainAdapter,
  token: Token,
  { chainUnits, ledgerUnits: booked, opened }: Finding,
): Promise<void> {
  const { database, log, metrics } = services
  const difference = chainUnits - booked
  const fields = { network: token.network, wallet, token: token.symbol, difference: `${difference}` }
  if (!opened) {
    await insertPosting(database, capitalMoved(wallet, token, difference), null)
    log.info(fields, 'books opened')
  } else if (difference > 0n) {
    await insertPosting(database, unannounced(wallet, token, difference), null)
    log.warn(fields, 'coins came that nobody announced')
  } else if (token.contract === null && -difference <= upkeepUnits) {
    await insertPosting(database, networkFeePaid(wallet, token, -difference), null)
  } else if (
    await haltWallet(database, token.network, wallet, `${-difference} base units of ${token.symbol} are missing`)
  ) {
    metrics.alerts.inc()
    log.error(fields, 'coins are missing: the wallet is halted')
  }
}

/** Anybody may sweep a deposit address into the treasury: then it holds less, and the treasury as much more. */
async function settleAddress(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  address: Address,
  { chainUnits, ledgerUnits: booked }: Finding,
): Promise<void> {
  const fields = { network: token.network, address, token: token.symbol, difference: `${chainUnits - booked}` }
  if (chainUnits < booked) {
    await insertPosting(services.database, swept(address, chain.treasury, token, booked - chainUnits), null)
    services.log.warn(fields, 'a deposit address was emptied by somebody else')
  } else {
    await insertPosting(services.database, unannounced(address, token, chainUnits - booked), null)
    services.log.warn(fields, 'coins came to a deposit address that nobody announced')
  }
}
