/**
 * Theft detection: does the chain show transactions of a wallet that the ledger lacks? Everything that we sign is
 * stored before it is sent, and the signing journal stops a rolled-back database. So another party has the key: the
 * wallet is halted.
 */
import { type ChainAdapter, type Movement, RetryLater, type WalletHold } from '@causeway/core'
import { readHistory, rememberBeginning, unknownWaiting, type WalletHistory } from '../../market/history.ts'
import type { Services } from '../../services.ts'
import type { Database } from '../../store/db/database.ts'
import { saveChecked } from '../../store/ledger/wallet-checks.ts'
import { haltWallet } from '../../store/limits/halts.ts'
import { readBarriers } from '../../store/restore/barrier.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/** The comparison of balances also detects theft within a minute, so this interval is short enough. */
const CHECK_EVERY_MS = 60_000
/**
 * How long the start of the service waits for nodes. A node that does not answer is asked again before the first
 * payout.
 */
const START_MS = 5_000

/** When this process last compared each wallet. The check at the start is not counted: its node may have lagged. */
const checks = new WeakMap<Database, Map<string, number>>()

/** The wallet was never compared. Its payouts are neither made nor given up until a node answers. */
class NotLooked extends RetryLater {
  override name = 'NotLooked'
}

/** Throws `PayoutOnHold` if the wallet sent a transaction that is not in the ledger, `RetryLater` if no node can tell now. */
export async function requireKnownHistory(services: Services, chain: ChainAdapter): Promise<void> {
  const { name } = chain.network
  const known = checksOf(services)
  const last = known.get(name)
  if (last !== undefined && services.now().getTime() - last < CHECK_EVERY_MS) return
  try {
    await checkWallet(services, chain)
    known.set(name, services.now().getTime())
  } catch (error) {
    known.delete(name)
    if (error instanceof RetryLater && last === undefined) throw new NotLooked(error.message)
    throw error
  }
}

/** Checks all wallets at the start of the service, as far as their nodes answer in time. */
export async function lookAtWallets(services: Services): Promise<void> {
  for (const chain of services.chains.values()) await rememberBeginning(services.database, chain)
  const all = [...services.chains.values()].map((chain) =>
    checkWallet(services, chain).catch((error) => {
      const fields = { network: chain.network.name, err: error }
      const isPassing = error instanceof RetryLater || error instanceof PayoutOnHold
      services.log[isPassing ? 'warn' : 'error'](fields, 'the history of a wallet could not be read')
    }),
  )
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, START_MS)
  })
  await Promise.race([Promise.all(all), patience])
  clearTimeout(timer)
}

async function checkWallet(services: Services, chain: ChainAdapter): Promise<void> {
  // A rolled-back database lacks transactions that we signed. They are no theft, so the check waits until the journal
  // is replayed.
  if (services.signing.stopped !== null) throw new RetryLater('signing is stopped')
  const history = await readHistory(services.database, chain)
  if (history) {
    const stolen = await notExplained(services, chain, history.unknown)
    await recordCheck(services, chain, history, stolen)
    if (stolen.length > 0) throw new PayoutOnHold(outflowHold(chain, stolen))
  }
  const [waiting] = await unknownWaiting(services.database, chain)
  if (waiting) throw new PayoutOnHold({ code: 'unknown_pending', network: chain.network.name, txHash: waiting })
}

/**
 * The transactions that must be theft. After a restore without the journal there is a *barrier*: a stored block, up to
 * which unknown transactions may be ours, and an operator decides about them. A barrier without a block covers every
 * transaction of its network.
 */
async function notExplained(
  { database }: Services,
  { network }: ChainAdapter,
  unknown: Movement[],
): Promise<Movement[]> {
  if (unknown.length === 0) return unknown
  const barrier = (await readBarriers(database)).find((one) => one.network === network.name)
  return barrier ? unknown.filter(({ block }) => barrier.block !== null && block.number > barrier.block) : unknown
}

async function recordCheck(
  services: Services,
  chain: ChainAdapter,
  { from, final, head }: WalletHistory,
  stolen: readonly Movement[],
): Promise<void> {
  const { name: network } = chain.network
  const checkedTo = final > from - 1n ? final : from - 1n
  await services.database.transaction().execute(async (queries) => {
    await saveChecked(queries, network, chain.treasury, stolen.length > 0 ? head : checkedTo, services.now())
    if (stolen.length === 0) return
    // This hold is added even if the wallet is already halted for missing coins: the cause is another one.
    await haltWallet(queries, { network, account: chain.treasury }, outflowHold(chain, stolen), services.now())
    services.metrics.alerts.inc()
    const transactions = stolen.slice(0, 10).map(({ txHash }) => txHash)
    const fields = { network, wallet: chain.treasury, transactions }
    services.log.error(fields, 'a wallet sent a transaction that is not in the ledger: it is halted')
  })
}

function outflowHold(
  { network }: ChainAdapter,
  unknown: readonly Movement[],
): Extract<WalletHold, { code: 'unknown_outflow' }> {
  return { code: 'unknown_outflow', network: network.name, txHash: unknown[0]?.txHash ?? '', count: unknown.length }
}

function checksOf({ database }: Services): Map<string, number> {
  const found = checks.get(database) ?? new Map<string, number>()
  checks.set(database, found)
  return found
}
