/** GET /swaps/{id}/progress: how far a swap is, compared with the usual time, what it waits for, and until when. */
import { ApiError } from '@causeway/core'
import { envelope, SwapParams, SwapProgress } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { readOpenHold } from '../../../store/payouts/holds.ts'
import { readHistory } from '../../../store/swaps/owed-refunds.ts'
import { readSwapView } from '../../../store/swaps/swap-read.ts'
import type { Health } from '../../cache/route-health.ts'
import type { Api } from '../../http/schema.ts'
import { payoutInProgress, presentProgress } from '../../present/progress.ts'

export function progressRoutes(api: Api, services: Services, health: Health): void {
  api.get(
    '/swaps/:swapId/progress',
    { schema: { params: SwapParams, response: { 200: envelope(SwapProgress) } } },
    async ({ params }) => {
      const swapId = params.swapId.toLowerCase()
      const [view, history, routes] = await Promise.all([
        readSwapView(services.polling, services.catalogue, swapId),
        readHistory(services.polling, swapId),
        health(),
      ])
      if (!view) throw new ApiError('NOT_FOUND', `There is no swap ${swapId}.`)
      const waiting = payoutInProgress(view)
      const hold = waiting?.held_by ? await readOpenHold(services.polling, waiting.id) : null
      return { data: presentProgress(services, view, history, routes, hold) }
    },
  )
}
