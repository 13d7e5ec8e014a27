/** A swap as JSON text, for webhooks and event streams. */
import { Bug } from '@causeway/core'
import type { Services } from '../../../services.ts'
import type { Queries } from '../../../store/db/database.ts'
import { readSwapViewWithin } from '../../../store/swaps/swap-read.ts'
import { toJson } from '../../http/json.ts'
import { presentSwapDetails, seesReference } from '../../present/swap.ts'

/**
 * The compact response of `GET /swaps/{id}?exclude_deposit_actions=true` for this app, or for a caller without a secret
 * key.
 */
export async function describeSwap(
  services: Services,
  queries: Queries,
  swapId: string,
  reader: string | null,
): Promise<string> {
  const view = await readSwapViewWithin(queries, services.catalogue, swapId)
  if (!view) throw new Bug('a swap that does not exist cannot be described', { swapId })
  const viewpoint = { services, baseUrl: services.config.publicUrl ?? '' }
  const details = presentSwapDetails(viewpoint, view, seesReference(view, reader))
  return toJson({ data: { ...details, deposit_actions: [] } })
}
