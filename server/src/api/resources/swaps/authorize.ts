/** Authorization of gasless deposits: submit a signature, and read its status. */
import { ApiError } from '@causeway/core'
import { Authorization, AuthorizeBody, envelope, SwapParams } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { readPayout } from '../../../store/payouts/payouts.ts'
import { type AuthorizationRow, readAuthorization } from '../../../store/swaps/gasless.ts'
import { readSwapView, type SwapView } from '../../../store/swaps/swap-read.ts'
import { authorizeSwap } from '../../../swaps/gasless-authorize.ts'
import type { Api } from '../../http/schema.ts'
import { presentAuthorization } from '../../present/authorization.ts'
import { type PresentationContext, presentationContextOf } from '../../present/presentation-context.ts'

export function authorizeRoutes(api: Api, services: Services): void {
  api.post(
    '/swaps/:swapId/authorize',
    { schema: { params: SwapParams, body: AuthorizeBody, response: { 200: envelope(Authorization) } } },
    async (request) => {
      const view = await findSwap(services, request.params.swapId)
      const { signature, signer_address: signerAddress } = request.body
      const row = await authorizeSwap(services, view, { signature, signerAddress })
      return { data: await show(presentationContextOf(services, request), view, row) }
    },
  )

  api.get(
    '/swaps/:swapId/authorize',
    { schema: { params: SwapParams, response: { 200: envelope(Authorization) } } },
    async (request) => {
      const { swapId } = request.params
      const view = await findSwap(services, swapId)
      if (!view.swap.usesGasless) throw new ApiError('NOT_FOUND', `Swap ${swapId} has no gasless deposit.`)
      const row = await readAuthorization(services.database, swapId)
      if (!row) return { data: { status: 'awaiting_signature' as const, transaction: null } }
      return { data: await show(presentationContextOf(services, request), view, row) }
    },
  )
}

async function show(viewpoint: PresentationContext, view: SwapView, row: AuthorizationRow): Promise<Authorization> {
  const relay = row.payout_id === null ? null : await readPayout(viewpoint.services.database, row.payout_id)
  return presentAuthorization(viewpoint, view, row, relay)
}

async function findSwap({ database, catalogue }: Services, id: string): Promise<SwapView> {
  const view = await readSwapView(database, catalogue, id)
  if (!view) throw new ApiError('NOT_FOUND', `There is no swap ${id}.`)
  return view
}
