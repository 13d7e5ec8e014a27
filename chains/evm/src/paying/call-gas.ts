/**
 * The most gas that a call of ours may ask for, by the network's file alone: what is prepared stays inside, and a signer, which
 * asks no node and believes no draft, refuses what does not.
 */
import type { Order } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { parseCall } from './order.ts'

/** Deploying the largest of our contracts takes about a million. */
export const ADMIN_GAS = 5_000_000n
/** By the longest that each kind is, beside a plain transfer: what a chain adds for the layer below goes by the bytes. */
export const LAYERS = { plain: 1n, transfer: 3n, call: 8n }

export function mostCallGas({ settings, contracts }: EvmChain, order: Order): bigint {
  const relay = settings.maxCallGas ?? settings.maxRelayGas + LAYERS.call * settings.maxLayerGas
  const call = order.kind === 'transfers' ? order.call : undefined
  // By whom it calls, not by what it says of itself: an owner's code runs in what goes through a Paymaster.
  const isRelay = call !== undefined && contracts.paymasters.has(parseCall(call).to.toLowerCase())
  return isRelay ? relay : ADMIN_GAS + relay
}
