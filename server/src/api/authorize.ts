/** The authorization of gasless deposits. No network offers them yet, so that no swap has one: both calls say so. */
import { ApiError } from '@causeway/core'
import { Authorization, AuthorizeBody, envelope, Nothing, SwapParams } from '@causeway/sdk'
import type { Services } from '../services.ts'
import { readSourceNetwork } from '../store/reading.ts'
import type { Api } from './schema.ts'

export function authorizeRoutes(api: Api, services: Services): void {
  api.post(
    '/swaps/:swapId/authorize',
    { schema: { params: SwapParams, body: AuthorizeBody, response: { 200: envelope(Nothing) } } },
    async ({ params }) => {
      await mustExist(services, params.swapId)
      const message = 'was not asked for when the swap was made: deposit as its deposit actions say'
      throw new ApiError('VALIDATION_ERROR', `use_gasless ${message}.`, { use_gasless: message })
    },
  )

  api.get(
    '/swaps/:swapId/authorize',
    { schema: { params: SwapParams, response: { 200: envelope(Authorization) } } },
    async ({ params }) => {
      await mustExist(services, params.swapId)
      throw new ApiError('NOT_FOUND', `Swap ${params.swapId} is not gasless: it has no authorization.`)
    },
  )
}

async function mustExist({ database }: Services, id: string): Promise<void> {
  if ((await readSourceNetwork(database, id)) === null) throw new ApiError('NOT_FOUND', `There is no swap ${id}.`)
}
