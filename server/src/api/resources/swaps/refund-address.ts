/** POST /swaps/{id}/refund_address: sets the refund address of owed deposits. */
import { envelope, Nothing, RefundAddressBody, SwapParams } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { nameRefundAddress } from '../../../swaps/set-refund-address.ts'
import { secretAppOf } from '../../access/auth.ts'
import type { Api } from '../../http/schema.ts'

export function refundAddressRoutes(api: Api, services: Services): void {
  api.post(
    '/swaps/:swapId/refund_address',
    { schema: { params: SwapParams, body: RefundAddressBody, response: { 200: envelope(Nothing) } } },
    async (request) => {
      const { refund_address: refundAddress, signature = null } = request.body
      await nameRefundAddress(services, request.params.swapId, {
        refundAddress,
        signature,
        appId: secretAppOf(request),
      })
      return { data: {} }
    },
  )
}
