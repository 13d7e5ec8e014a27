/**
 * The upper bound of the gas of our own calls, from the network's file alone. `prepare` stays within it. A signer,
 * which asks no node and trusts no draft, rejects anything above.
 */
import type { Order } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { parseCall } from './order.ts'

/** Gas limit of an operator's call. Deploying the largest of our contracts takes about a million. */
export const ADMIN_GAS = 5_000_000n
/** Gas limit of an exchange. A V3 swap across a few ticks takes about 200,000. */
export const EXCHANGE_GAS = 1_000_000n
/** The longest call data of each kind, relative to a plain transfer: L1 data gas grows with the bytes. */
export const LAYERS = { plain: 1n, transfer: 3n, call: 8n }

export function mostCallGas({ settings, contracts }: EvmChain, order: Order): bigint {
  const relay = settings.maxCallGas ?? settings.maxRelayGas + LAYERS.call * settings.maxLayerGas
  if (order.kind === 'exchange') return EXCHANGE_GAS + LAYERS.call * settings.maxLayerGas
  const call = order.kind === 'transfers' ? order.call : undefined
  // Decided by the called contract, not by the call's own description, because a Paymaster runs the owner's code.
  const isRelay = call !== undefined && contracts.paymasters.has(parseCall(call).to.toLowerCase())
  return isRelay ? relay : ADMIN_GAS + relay
}
