/** Empties deposit addresses into the treasury, many in one transaction, where what lies there is worth the gas. */
import { type ChainAdapter, fromUsd, type Token, toUsd } from '@causeway/core'
import type { Services } from '../services.ts'
import { addJob, laneOf } from '../store/jobs.ts'
import { findUnswept, insertSweep } from '../store/sweeps.ts'

/** One transaction's worth of addresses: well inside any block's gas. */
const BATCH = 50
/** An address is emptied when it holds this many times what emptying it costs. */
const WORTH_MULTIPLE = 2n

export async function sweepAddresses(services: Services): Promise<void> {
  for (const chain of services.chains.values()) {
    if (!chain.depositAddresses) continue
    for (const token of chain.network.tokens) await sweepToken(services, chain, token)
  }
}

async function sweepToken(services: Services, chain: ChainAdapter, token: Token): Promise<void> {
  const floor = await worthwhile(services, chain, token)
  if (floor === null) return
  await services.database.transaction().execute(async (queries) => {
    const most = Math.min(BATCH, chain.depositAddresses?.maxSources ?? BATCH)
    const sources = (await findUnswept(queries, token, most)).filter(({ units }) => units >= floor)
    if (sources.length === 0) return
    const payout = await insertSweep(queries, { token, account: chain.treasury, sources, now: services.now() })
    await addJob(queries, {
      task: 'pay',
      payload: { payoutId: payout.id },
      lane: laneOf(payout.network, payout.account),
    })
    services.log.info({ network: token.network, token: token.symbol, addresses: sources.length }, 'sweep ordered')
  })
}

async function worthwhile(services: Services, chain: ChainAdapter, token: Token): Promise<bigint | null> {
  const native = chain.network.nativeToken
  const price = services.market.price(token)
  const nativePrice = services.market.price(native)
  if (!price || !nativePrice) return null
  const { sweep } = await chain.fees()
  return WORTH_MULTIPLE * fromUsd(toUsd(sweep, native, nativePrice, 'up'), token, price, 'up')
}
