/** Deposit actions in wire format. */
import type { DepositAction, Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { presentNetwork, presentToken } from './network.ts'
import { human } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

/** The deposit actions, in the order in which they must be done. */
export function presentDepositActions(
  viewpoint: PresentationContext,
  token: Token,
  actions: readonly DepositAction[],
): wire.DepositAction[] {
  const network = viewpoint.services.catalogue.network(token.network)
  return actions.map((action, order) => ({
    type: action.type,
    to_address: action.toAddress,
    amount: human(action.units, token),
    amount_in_base_units: action.units.toString(),
    call_data: action.callData,
    network: presentNetwork(viewpoint, network),
    token: presentToken(viewpoint, token),
    fee_token: presentToken(viewpoint, network.nativeToken),
    order,
    gas_limit: action.gasLimit?.toString() ?? null,
    encoded_args: action.encodedArgs ?? [],
    valid_after: action.signing?.validAfter ?? null,
    valid_before: action.signing?.validBefore ?? null,
    nonce: action.signing?.nonce ?? null,
    typed_data: action.signing?.typedData ?? null,
  }))
}
