/** A client named a transaction: it is read from the chain and matched like any other. Nothing the client said is trusted. */
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { requestRecheck } from '../store/cursors.ts'
import { matchSightings, watchlistOf } from './match.ts'

export async function inspect(services: Services, network: string, txHash: string): Promise<void> {
  const chain = chainOf(services.chains, network)
  const found = await chain.inspect(txHash, watchlistOf(services, chain))
  if (found.state !== 'included' && found.state !== 'pending') return
  await services.database.transaction().execute(async (queries) => {
    const doubted = await matchSightings(services, queries, chain, found.sightings)
    if (doubted !== null) await requestRecheck(queries, network, doubted)
  })
}
