/** Checks before signing: whether this order can be paid, and through which vaults. */
import {
  type Address,
  Bug,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Transfer,
  TreasuryShort,
} from '@causeway/core'
import { assetId, quantumOf } from '../asset.ts'
import type { StarkExChain } from '../chain.ts'
import { balancesOf, holdingKey, type Route, routeFor } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Payment, paymentOf, refuseLosing } from './order.ts'
import { keepRegistered, keyOf } from './registration.ts'
import { readSent, type Sent } from './signed-bytes.ts'
import { formatTerms } from './terms.ts'

const HOUR_MS = 3_600_000

export async function prepare(
  chain: StarkExChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  const payment = paymentOf(chain, order)
  const earlier = replaces ? readSent(replaces.bytes) : null
  if (replaces && !earlier) throw new Bug('the transfer to replace cannot be read', { hash: replaces.hash })
  // `PayoutImpossible` proves that nothing was sent, so it is not thrown while an earlier attempt may be mined.
  if (!earlier) refuseLosing(chain, payment)
  await keepRegistered(chain)
  const time = Math.floor(chain.now() / 1000)
  // The expiry is in whole hours; the current one does not count.
  const soonest = Math.floor(chain.now() / HOUR_MS) + chain.settings.validHours
  return chain.rpc.use(async (node) => {
    const key = await recipientKey(chain, node, payment.to, earlier !== null)
    const { address } = chain.keys
    const { held } = await node.ask(balancesOf([address]))
    const units = held.get(holdingKey(address, payment.token.contract)) ?? 0n
    if (units < payment.ordered)
      throw new TreasuryShort(`the treasury holds ${units} of ${payment.ordered} units needed`)
    const route = await routeOf(chain, node, payment, earlier)
    refuseOtherKey(chain, payment, route, key)
    const expiryHour = earlier ? Math.max(soonest, earlier.message.expiryHour + 1) : soonest
    const asset = payment.asset ?? earlier?.message.asset ?? nativeAsset(chain)
    return formatTerms({ ...route, expiryHour, time, asset })
  })
}

/** The vaults of the payment. A cancellation moves zero from the vault of the earlier transfer back to it. */
async function routeOf(chain: StarkExChain, node: Node, payment: Payment, earlier: Sent | null): Promise<Route> {
  const { address, starkKey } = chain.keys
  const route = await node.ask(routeFor(address, payment.to, payment.token, payment.ordered))
  if (!earlier) return route
  const { senderVault } = earlier.message
  if (payment.asset === null) return { senderVault, receiverVault: senderVault, receiverKey: starkKey }
  if (route.senderVault !== senderVault) throw new RetryLater('the operator names another vault of ours than before')
  return route
}

function nativeAsset({ network, settings }: StarkExChain): bigint {
  return assetId(null, quantumOf(settings, network.nativeToken))
}

/**
 * The recipient's key, which must be that of its first payment: only the operator reports keys, and could report its
 * own.
 */
async function recipientKey(chain: StarkExChain, node: Node, to: Address, sentBefore: boolean): Promise<bigint> {
  const key = await keyOf(node, to)
  if (key === null && sentBefore) throw new RetryLater(`${to} is not registered now`)
  if (key === null) throw new PayoutImpossible(`${to} is not registered: it has no key that could be paid`)
  const pinned = chain.pinned.get(to)
  if (pinned !== undefined && pinned !== key) {
    chain.log.error({ network: chain.network.name, to }, 'the operator says another key of an address than before')
    throw new RetryLater(`the key of ${to} is another one than it was`)
  }
  pin(chain, to, key)
  return key
}

/**
 * Limit of remembered keys, in addition to those in the network's file: a dishonest operator does not wait that long.
 */
const MOST_PINNED = 10_000

function pin({ pinned, settings }: StarkExChain, to: Address, key: bigint): void {
  if (!pinned.has(to) && pinned.size >= MOST_PINNED + settings.receivers.size) {
    const oldest = [...pinned.keys()].find((address) => !settings.receivers.has(address))
    if (oldest !== undefined) pinned.delete(oldest)
  }
  pinned.set(to, key)
}

function refuseOtherKey({ network, log }: StarkExChain, { to }: Payment, { receiverKey }: Route, key: bigint): void {
  if (receiverKey === key) return
  log.error({ network: network.name, to }, 'the operator would pay another key than that of the recipient')
  throw new RetryLater(`the operator would pay another key than that of ${to}`)
}

/**
 * Throws if the recipient has no key, because it could not be paid; called when a swap is created. No recipient code
 * runs at our cost.
 */
export async function extraGas(chain: StarkExChain, { to }: Transfer): Promise<bigint> {
  const key = await chain.rpc.use((node) => keyOf(node, to))
  if (key === null) throw new PayoutImpossible('it is not registered there')
  return 0n
}
