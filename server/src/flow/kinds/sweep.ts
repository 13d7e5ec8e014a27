/**
 * Sweeps deposit addresses into the treasury, many per transaction, the largest first, if the balance is worth the gas.
 */
import { type ChainAdapter, fromUsd, type Token, toUsd } from '@causeway/core'
import type { Services } from '../../services.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { findUnswept, insertSweep, type Unswept } from '../../store/deposits/sweeps.ts'
import { foldLedger } from '../../store/ledger/balances.ts'

/** Addresses per sweep transaction: well inside any block's gas. */
const BATCH = 50
/** Sweeps ordered per round and token: they share the queue with payouts that users wait for. */
const MOST_SWEEPS = 10
/** Batches read in one round, in case many of them were swept externally. */
const MOST_LOOKS = 40
/** An address is swept when its balance is this many times the cost of the sweep. */
const WORTH_MULTIPLE = 2n

export async function sweepAddresses(services: Services): Promise<void> {
  await foldLedger(services.database)
  for (const chain of services.chains.values()) {
    if (!chain.depositAddresses) continue
    for (const token of chain.network.tokens) {
      try {
        await sweepToken(services, chain, token)
      } catch (error) {
        const fields = { network: token.network, token: token.symbol, err: error }
        services.log.warn(fields, 'deposit addresses could not be swept')
      }
    }
  }
}

async function sweepToken(services: Services, chain: ChainAdapter, token: Token): Promise<void> {
  const account = chain.treasury
  // Without a balance the sweep cost need not be read.
  const [some] = await findUnswept(services.database, token, { account, floor: 1n, limit: 1, after: null })
  if (!some) return
  const floor = await worthwhile(services, chain, token)
  if (floor === null) return
  const limit = Math.min(BATCH, chain.depositAddresses?.maxSources ?? BATCH)
  let after: Unswept | null = null
  let ordered = 0
  for (let looks = 0; looks < MOST_LOOKS && ordered < MOST_SWEEPS; looks++) {
    const found: Unswept[] = await findUnswept(services.database, token, { account, floor, limit, after })
    const sources = await stillThere(chain, token, found, floor)
    if (sources.length > 0) await orderSweep(services, chain, token, sources)
    if (sources.length > 0) ordered++
    after = found.at(-1) ?? null
    if (found.length < limit) return
  }
}

/** Drops addresses that are already empty. Anyone may sweep a deposit address, and reconciliation books that. */
async function stillThere(
  chain: ChainAdapter,
  token: Token,
  found: readonly Unswept[],
  floor: bigint,
): Promise<Unswept[]> {
  if (found.length === 0) return []
  const { units } = await chain.balances(found.map(({ address }) => ({ owner: address, token })))
  return found.filter((_, position) => (units[position] ?? 0n) >= floor)
}

async function orderSweep(services: Services, chain: ChainAdapter, token: Token, sources: Unswept[]): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    const payout = await insertSweep(queries, { token, account: chain.treasury, sources, now: services.now() })
    await addJob(queries, {
      task: 'pay',
      payload: { payoutId: payout.id },
      lane: laneOf(payout.network, payout.account),
    })
  })
  services.log.info({ network: token.network, token: token.symbol, addresses: sources.length }, 'sweep ordered')
}

/** The minimum balance that is worth a sweep; null if it is unknown now. */
async function worthwhile(services: Services, chain: ChainAdapter, token: Token): Promise<bigint | null> {
  // The treasury holds no stock of a token that only pools hold: its sale and its refund wait for the sweep.
  if (token.poolOnly) return 1n
  const native = chain.network.nativeToken
  const price = services.market.price(token)
  const nativePrice = services.market.price(native)
  if (!price || !nativePrice) return null
  const { sweep } = await chain.fees()
  return WORTH_MULTIPLE * fromUsd(toUsd(sweep, native, nativePrice, 'up'), token, price, 'up')
}
