/**
 * Required confirmations of a deposit. A reorg takes back whole transactions, and an attacker would split a large
 * deposit into small ones. So the tier follows from the sum of all deposits that are not final and share the swap, the
 * sender or the transaction. Above a ceiling per network a deposit waits until it is final.
 */
import { confirmationsFor, type DepositTransfer, type Network, type Token, toUsd } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { setDepths, type UnfinalDeposit, unfinalDeposits } from '../../store/deposits/deposits.ts'

/** Value in dollars. A token that is unknown or has no price could be worth anything, so it gets the last tier. */
function worthOf(
  services: Services,
  network: Network,
  { token: key, units }: { token: string; units: bigint },
): number {
  const token = listed(services, network, key)
  const price = token && services.market.price(token)
  return token && price !== null ? Number(toUsd(units, token, price, 'up')) / 1e18 : Number.POSITIVE_INFINITY
}

/**
 * The confirmations that this transfer needs if it is judged alone. `decideDepths` judges all deposits together on
 * every head.
 */
export function ownDepth(
  services: Services,
  network: Network,
  transfer: Pick<DepositTransfer, 'token' | 'units' | 'requiresFinality'>,
): number {
  return transfer.requiresFinality
    ? network.finalDepth
    : confirmationsFor(network, worthOf(services, network, transfer))
}

/** Decides the required confirmations of every pending deposit: prices and later deposits may change them. */
export async function decideDepths(
  services: Services,
  network: Network,
  head: bigint,
  fenced: (work: (queries: Queries) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { database, config } = services
  const deposits = await unfinalDeposits(database, network.name, head - BigInt(network.finalDepth))
  if (deposits.every(({ state }) => state === 'confirmed')) return
  const worth = (deposit: UnfinalDeposit) => worthOf(services, network, deposit)
  const wanted = depthsOf(network, deposits, worth, config.maxUnfinalUsd)
  const changed = deposits.filter(({ id, depth }) => wanted.get(id) !== undefined && wanted.get(id) !== depth)
  const changes = changed.map(({ id, txHash }) => ({ id, txHash, depth: wanted.get(id) ?? network.finalDepth }))
  if (changes.length > 0) await fenced((queries) => setDepths(queries, network.name, changes))
}

/** Required confirmations of each pending deposit by id. `deposits` are sorted by block, oldest first. */
export function depthsOf(
  network: Network,
  deposits: readonly UnfinalDeposit[],
  worth: (deposit: UnfinalDeposit) => number,
  ceilingUsd: number,
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const deposit of deposits)
    for (const group of groupsOf(deposit)) sums.set(group, (sums.get(group) ?? 0) + worth(deposit))
  const known = (usd: number) => (Number.isFinite(usd) ? usd : 0)
  const counted = deposits.filter(({ state, swap }) => state === 'confirmed' && swap !== null)
  let exposed = counted.reduce((sum, deposit) => sum + known(worth(deposit)), 0)
  const depths = new Map<string, number>()
  for (const deposit of deposits) {
    if (deposit.state === 'confirmed') continue
    const usd = Math.max(worth(deposit), ...groupsOf(deposit).map((group) => sums.get(group) ?? 0))
    const depth = deposit.finalOnly ? network.finalDepth : confirmationsFor(network, usd)
    // A deposit without a swap causes no payout, and a lost one was already paid: neither adds to the exposure.
    const isRisked = deposit.swap !== null && deposit.state === 'seen' && depth < network.finalDepth
    const fits = !isRisked || exposed + known(worth(deposit)) <= ceilingUsd
    if (isRisked && fits) exposed += known(worth(deposit))
    depths.set(deposit.id, fits ? depth : network.finalDepth)
  }
  return depths
}

function groupsOf({ swap, txHash, senders }: UnfinalDeposit): string[] {
  if (swap === null) return []
  return [`swap ${swap}`, `transaction ${txHash}`, ...senders.map((sender) => `sender ${sender}`)]
}

/** The listed token; null if the catalogue no longer has it. Its value is then unknown. */
function listed({ catalogue }: Services, network: Network, key: string): Token | null {
  try {
    return catalogue.token(network.name, key)
  } catch {
    return null
  }
}
