/**
 * Reconciliation: compares the ledger with the chain, wallet by wallet. Each round reads the balances of the hot wallet,
 * of its former wallets and of some deposit addresses at one block and stores them until the block is final. Then the
 * ledger must match to the unit, even for a busy wallet (`compare`). Until then a lower bound watches the balance
 * (`lower-bound`). A network without an answer delays no other.
 */
import type { Address, BlockRef, ChainAdapter, Token } from '@causeway/core'
import { logFailure } from '../../observe/log.ts'
import type { Services } from '../../services.ts'
import { foldLedger, ledgerUnits, nextHolders, provePostings, setAsked } from '../../store/ledger/balances.ts'
import { differingAddresses, saveSeen } from '../../store/ledger/ledger.ts'
import { formerTreasuries } from '../../store/ledger/treasuries.ts'
import { addressesInTurn } from '../../store/watch/addresses.ts'
import {
  confirmableSnapshots,
  dropBalanceSnapshot,
  dropOldBalanceSnapshots,
  insertBalanceSnapshots,
  lastSlot,
} from '../../store/watch/balance-snapshots.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { type Ahead, cachedPeek } from './comparable.ts'
import { compareBalances } from './compare.ts'
import { lowerBoundAlarm } from './lower-bound.ts'

/** Deposit addresses checked per round and token; all are checked in turn. */
const ADDRESSES = 100
/** Balances compared per round and token: more than one round reads. */
const COMPARED = 500
/** A balance that could not be compared for this many final depths is dropped. */
const KEPT_FOR = 20n

export async function reconcile(services: Services): Promise<void> {
  const { log, metrics, database } = services
  await foldLedger(database)
  const broken = await provePostings(database)
  if (broken.length > 0) {
    metrics.alerts.inc()
    log.error({ postings: broken.slice(0, 10) }, 'postings do not balance')
  }
  await Promise.all(
    [...services.chains.values()].map((chain) =>
      reconcileNetwork(services, chain).catch((error) =>
        logFailure(log, { network: chain.network.name }, error, 'a network could not be reconciled'),
      ),
    ),
  )
}

async function reconcileNetwork(services: Services, chain: ChainAdapter): Promise<void> {
  // After a rollback the ledger lacks what was moved since, until the operator has restored it.
  if (services.signing.stopped === null) {
    const ahead = cachedPeek(services, chain)
    for (const token of chain.network.tokens) await compareRipe(services, chain, token, ahead)
  }
  await look(services, chain)
}

interface Wanted {
  owner: Address
  token: Token
}

/** Reads balances from the chain and stores them. */
async function look(services: Services, chain: ChainAdapter): Promise<void> {
  const { database } = services
  const { treasury, network } = chain
  const before = await readPosition(database, network.name)
  // A former wallet may hold coins that the ledger does not know, so it is read even if it should be empty.
  const former = chain.scansPresentTreasuryOnly ? [] : await formerTreasuries(database, network.name, treasury)
  const wanted: Wanted[] = []
  const turns: { token: Token; owners: Address[] }[] = []
  for (const token of network.tokens) {
    const next = await nextHolders(database, token, treasury, ADDRESSES)
    const holders = next.filter(({ isPending }) => !isPending).map(({ owner }) => owner)
    const pending = next.filter(({ isPending }) => isPending).map(({ owner }) => owner)
    const others = [...former, ...(await emptyOnes(services, chain, token))].filter((owner) => !pending.includes(owner))
    wanted.push(...[...new Set([treasury, ...holders, ...others])].map((owner) => ({ owner, token })))
    turns.push({ token, owners: next.map(({ owner }) => owner) })
  }
  const { block, units } = await chain.balances(wanted)
  const at = services.now()
  const slotsTo = await lastSlot(database)
  const seen = wanted.map((one, position) => ({ ...one, units: units[position] ?? 0n }))
  const place = block ?? (before && { number: before.headNumber, hash: null })
  if (place) {
    const holdings = seen.map(({ owner, token, units }) => ({ account: owner, token, units }))
    await insertBalanceSnapshots(database, { network: network.name, block: place, slotsTo, at }, holdings)
  }
  for (const { token, owners } of turns) await setAsked(database, token, owners, at)
  for (const { owner, token, units } of seen) {
    if (owner === treasury) await show(services, chain, token, { units, block, at })
  }
}

/**
 * Also reads some deposit addresses that should be empty. Coins may arrive in ways that a scan does not show (from
 * contracts, as a block reward): this finds whatever was missed.
 */
async function emptyOnes({ database, now }: Services, chain: ChainAdapter, token: Token): Promise<Address[]> {
  if (!chain.depositAddresses || token.contract !== null) return []
  const others = await addressesInTurn(database, chain.network.name, now())
  return [...others, ...(await differingAddresses(database, token, chain.treasury, ADDRESSES))]
}

/** The operators' overview, and the fast alarm. */
async function show(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  { units, block, at }: { units: bigint; block: BlockRef | null; at: Date },
): Promise<void> {
  const { database } = services
  const booked = await ledgerUnits(database, chain.treasury, token)
  await saveSeen(database, chain.treasury, token, {
    chainUnits: units,
    ledgerUnits: booked,
    block: block?.number ?? null,
    at,
  })
  await lowerBoundAlarm(services, chain, token, { units, block })
}

/** Compares stored balances of blocks that are final now, oldest first. A wallet that must wait delays no other. */
async function compareRipe(services: Services, chain: ChainAdapter, token: Token, ahead: Ahead): Promise<void> {
  const { database, log } = services
  const { name, finalDepth } = chain.network
  const position = await readPosition(database, name)
  if (!position) return
  const final = position.headNumber - BigInt(finalDepth)
  await dropOldBalanceSnapshots(database, name, final - KEPT_FOR * BigInt(finalDepth))
  const waiting = new Set<Address>()
  for (const holding of await confirmableSnapshots(database, token, final, COMPARED)) {
    if (waiting.has(holding.account)) continue
    try {
      const isDone = await compareBalances(services, chain, token, holding, ahead)
      if (isDone) await dropBalanceSnapshot(database, holding.id)
      else waiting.add(holding.account)
    } catch (error) {
      waiting.add(holding.account)
      log.warn({ network: name, wallet: holding.account, token: token.symbol, err: error }, 'reconciliation failed')
    }
  }
}
