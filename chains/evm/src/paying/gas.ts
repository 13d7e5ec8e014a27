/**
 * Gas bounds of our transactions. Third-party code runs in some of them (a recipient's when it is paid, an owner's when
 * we relay) and may use all the gas it gets. So each kind has a bound that is known before signing.
 */
import { type Address, FeeAboveLimit, type Order, PayoutImpossible, RetryLater, type Transfer } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { code, estimateGas, hex } from '../node/calls.ts'
import { classOf, isOutOfGas, traitsOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { ADMIN_GAS, EXCHANGE_GAS, LAYERS, mostCallGas } from './call-gas.ts'
import { parseCall } from './order.ts'

/** Gas of a plain transfer, fixed by the protocol. */
export const PLAIN_GAS = 21_000n
const SEARCHED_GAS = 1_000n
/** How long the measured L1 gas is reused: it changes slowly, and payouts that start together read it once. */
const LAYER_MS = 5_000
/**
 * Gas limit of sweeping one address with an expensive token and an undeployed forwarder, and of the transaction's own
 * overhead.
 */
const SWEEP_GAS_EACH = 300_000n
const SWEEP_GAS = 100_000n
/**
 * Gas of an exchange above its estimate. A V2 pair writes its two price accumulators only if a second has passed since its
 * last update, and a V3 pool its observation. An estimate of the same second lacks these writes: up to 44,200 gas.
 */
const EXCHANGE_EXTRA_GAS = 50_000n

/**
 * The gas bound of this order. `effort`: the gas that was charged for the recipient's code; without it, the gas that
 * every payout includes.
 */
export async function gasBound(chain: EvmChain, node: Node, order: Order, effort: bigint): Promise<bigint> {
  const { maxLayerGas, maxTransactionGas } = chain.settings
  const [own, layer] = await Promise.all([ownBound(chain, node, order, effort), layerGas(chain, node)])
  // This gas is the chain's own charge, not third-party code, and will fall again: the payout waits.
  if (layer > maxLayerGas) throw new FeeAboveLimit(`the chain adds more than ${maxLayerGas} gas to a plain transfer`)
  const isCall = order.kind === 'exchange' || (order.kind === 'transfers' && order.call !== undefined)
  const most = isCall ? smaller(mostCallGas(chain, order), maxTransactionGas) : maxTransactionGas
  return smaller(own + LAYERS[sizeOf(order)] * layer, most)
}

function sizeOf(order: Order): keyof typeof LAYERS {
  if (order.kind === 'cancel') return 'plain'
  if (order.kind !== 'transfers' || order.call !== undefined) return 'call'
  return order.transfers.some(({ amount }) => amount.token.contract !== null) ? 'transfer' : 'plain'
}

async function ownBound(chain: EvmChain, node: Node, order: Order, effort: bigint): Promise<bigint> {
  const { settings } = chain
  if (order.kind === 'cancel') return settings.maxTransferGas
  if (order.kind === 'sweep') return SWEEP_GAS + SWEEP_GAS_EACH * BigInt(order.sources.length)
  if (order.kind === 'exchange') return EXCHANGE_GAS
  // The signer of a relay may be a contract whose code runs in it.
  if (order.call !== undefined) return parseCall(order.call).needs ? settings.maxRelayGas : ADMIN_GAS
  const [transfer] = order.transfers
  // For tokens the usual limit applies: the operator chooses the tokens, although some of them call the recipient.
  if (!transfer || transfer.amount.token.contract !== null) return settings.chargedGas
  if (!(await runsCode(node, transfer.to))) return settings.maxTransferGas
  const charged = smaller(PLAIN_GAS + effort, settings.chargedGas)
  return charged > settings.includedGas ? charged : settings.includedGas
}

/**
 * Gas beyond a plain transfer that paying this recipient takes, if it is more than every payout includes: it is charged
 * in the quote. `PayoutImpossible` if it exceeds the chargeable maximum. Zero if the recipient would reject the money,
 * which other checks report.
 */
export async function extraGas(chain: EvmChain, { to, amount }: Transfer): Promise<bigint> {
  if (amount.token.contract !== null) return 0n
  const { settings, treasury } = chain
  return chain.rpc.use(async (node) => {
    if (!(await runsCode(node, to))) return 0n
    const layer = await layerGas(chain, node)
    const most = smaller(settings.chargedGas + layer, settings.maxTransactionGas)
    const [needed] = await node.settle([
      estimateGas({ from: treasury, to, value: hex(amount.units), data: '0x', gas: hex(most) }),
    ])
    if (needed instanceof Refusal) {
      const traits = traitsOf(chain)
      if (isOutOfGas(needed, traits)) throw new PayoutImpossible(`its code takes more than ${settings.chargedGas} gas`)
      if (classOf(needed, traits) === 'retry') throw needed
      return 0n
    }
    const limit = withMargin(chain, needed - layer) + layer
    if (limit <= settings.includedGas + layer) return 0n
    return smaller(limit, most) - layer - PLAIN_GAS
  })
}

/** The gas limit: the estimate plus a margin, within the bound. */
export function gasLimit(chain: EvmChain, { kind }: Order, estimate: bigint, bound: bigint): bigint {
  const extra = kind === 'exchange' ? EXCHANGE_EXTRA_GAS : 0n
  return smaller(withMargin(chain, estimate) + extra, bound)
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function withMargin({ settings }: EvmChain, estimate: bigint): bigint {
  return (estimate * (100n + settings.gasMarginPercent)) / 100n
}

/**
 * Gas that the chain itself adds to every transaction: rollups that charge L1 data as gas, others with their own units.
 */
export async function layerGas({ treasury, facts, settings }: EvmChain, node: Node): Promise<bigint> {
  if (settings.maxLayerGas === 0n) return 0n
  if (facts.layer && Date.now() - facts.layer.at < LAYER_MS) return facts.layer.gas
  const [plain] = await node.settle([estimateGas({ from: treasury, to: treasury, value: '0x0', data: '0x' })])
  if (plain instanceof Refusal) throw new RetryLater(`the gas of a plain transfer is unknown: ${plain.message}`)
  const added = plain - PLAIN_GAS
  // Some nodes estimate by search and stop a little above the true value.
  const gas = added < SEARCHED_GAS ? 0n : added
  facts.layer = { gas, at: Date.now() }
  return gas
}

/** Whether paying this address runs code. Delegated code (EIP-7702) runs, too. */
async function runsCode(node: Node, address: Address): Promise<boolean> {
  const [standing] = await node.ask([code(address)])
  return standing.length > 2
}

/** Whether the chain adds more gas now than when the bound was computed: then running out of gas proves nothing. */
export async function layerHasGrown(chain: EvmChain, node: Node): Promise<boolean> {
  const before = await layerGas(chain, node)
  chain.facts.layer = null
  return (await layerGas(chain, node)) > before
}
