/**
 * Follows a hint: a client named a transaction, which is read from the chain and matched like any other. The client is
 * not trusted, and anyone may send many hints. So a hint has a short timeout, is not retried and is dropped if it had
 * to wait. The scan finds the deposit anyway.
 */
import { chainOf } from '../../catalogue/chains.ts'
import { forStrangers } from '../../catalogue/node-budget.ts'
import type { Services } from '../../services.ts'
import { lockSubjects, readClock } from '../../store/deposits/observations.ts'
import { watchlistOf } from '../deposits/receivers.ts'
import { recordSightings } from '../deposits/record-observations.ts'
import { withTimeout } from '../lib/timeout.ts'

/** Timeout for the node. A slow node delays only the next hint. */
const LOOK_MS = 5_000
/** A hint that waited longer is dropped: the scan has probably read that block, or there are too many hints. */
const KEPT_MS = 30_000

/** `since`: when the client gave the hint. */
export async function followHint(
  services: Services,
  hint: { network: string; txHash: string; since: Date },
  lookMs = LOOK_MS,
): Promise<void> {
  const { network, txHash, since } = hint
  if (services.now().getTime() - since.getTime() > KEPT_MS) return
  try {
    await inspectHint(services, network, txHash, lookMs)
  } catch (error) {
    services.log.info({ network, txHash, err: error }, 'a hint led nowhere')
  }
}

export async function inspectHint(
  services: Services,
  network: string,
  txHash: string,
  lookMs = LOOK_MS,
): Promise<void> {
  const chain = chainOf(services.chains, network)
  const clock = await readClock(services.database, network)
  const looking = forStrangers(chain).inspect(txHash, watchlistOf(services, chain))
  const found = await withTimeout(lookMs, 'looking a hint up', looking)
  if (found.state !== 'included' && found.state !== 'pending') return
  const { sightings } = found
  const [first] = sightings
  if (!first) return
  await services.database.transaction().execute(async (queries) => {
    await lockSubjects(queries, network, first.txHash)
    await recordSightings(services, queries, chain, sightings, 'hint', { clock })
  })
}
