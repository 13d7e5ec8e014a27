/** Somebody who may say so named where owed money shall go. The address is looked at once more: a command line knows no chain. */
import { ApiError, Bug } from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { readSourceNetwork } from '../store/reading.ts'
import { payableAddress } from '../swaps/addresses.ts'
import type { Giver } from '../swaps/refunding.ts'
import { applyEvent } from './advance.ts'

export async function giveAddress(services: Services, swapId: string, given: string, by: Giver): Promise<void> {
  const network = await readSourceNetwork(services.database, swapId)
  if (network === null) throw new Bug('a refund address for a swap that does not exist', { swapId })
  try {
    const chain = chainOf(services.chains, network)
    const address = await payableAddress(services, chain, 'refund_address', given)
    await applyEvent(services, swapId, { type: 'refund_address_given', address, by })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    services.metrics.alerts.inc()
    services.log.error({ swapId, by, reason: error.message }, 'a refund address was not taken')
  }
}
