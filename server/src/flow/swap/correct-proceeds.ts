/**
 * Books what a sale really brought, as an operator states it. The command line has no prices for what is ordered next, so
 * this is a job.
 */
import { Bug } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { ProceedsStated } from '../../store/db/jobs.ts'
import { lockSwap, saleIn } from '../../store/swaps/swaps.ts'
import { applyWithin } from './advance.ts'

export async function correctProceeds(services: Services, { swapId, units }: ProceedsStated): Promise<void> {
  const { database, metrics, log } = services
  const isBooked = await database.transaction().execute(async (queries) => {
    const read = async () => saleIn(await lockSwap(queries, swapId))
    const sale = await read()
    if (!sale) throw new Bug('corrected proceeds of a swap without a sale', { swapId })
    const event = { type: 'proceeds_corrected', units: BigInt(units), from: sale.account } as const
    await applyWithin(services, queries, swapId, event)
    return (await read())?.received_units === BigInt(units)
  })
  if (isBooked) return
  metrics.alerts.inc()
  log.error({ swapId, units }, 'the proceeds of a sale could not be corrected')
}
