/** The current gas price and the price that a payout offers, within the operator's ceilings. */
import { atMost } from '@causeway/chain-kit'
import { FeeAboveLimit, type Fees, mulDiv, RetryLater } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { type Header, header, tipSuggestion } from '../node/calls.ts'
import { Refusal } from '../node/node.ts'
import type { Settings } from '../settings.ts'
import { LAYERS } from './call-gas.ts'
import { FEE_MODELS } from './feemodels/index.ts'
import { layerGas, PLAIN_GAS } from './gas.ts'
import { mostApart, NATIVE_BYTES } from './l1-data-fee.ts'
import { ceilings, note, type Prices, usual } from './price-history.ts'

export interface GasTerms {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Gas of an ERC-20 transfer to an account that held none before; the large stablecoins need less. */
const TOKEN_GAS = 65_000n
/** Gas to deploy one forwarder and sweep a token, with its share of the transaction. */
const SWEEP_GAS = 200_000n
/** The unsigned transactions in bytes, rounded up; a sweep with one address's share of the common part. */
const TOKEN_BYTES = 130
const SWEEP_BYTES = 200
const RELAY_BYTES = 560
/** The tip if the node suggests none. */
const USUAL_TIP = 1_000_000_000n

/**
 * The current fees by one node's readings, each capped at the fee that we would sign: a node that lies cannot make a
 * refund expensive.
 */
export async function fees(chain: EvmChain): Promise<Fees> {
  const { settings } = chain
  return chain.rpc.use(async (node) => {
    const [[head, suggestion], added] = await Promise.all([
      node.settle([header('latest'), tipSuggestion()]),
      layerGas(chain, node),
    ])
    if (head instanceof Refusal) throw head
    const past = pastOf(chain, head, suggestion)
    const { baseFee, tip } = pricesNow(settings, head, suggestion, past)
    const price = atMost(baseFee + tip, ceilings(settings, past).price)
    const layer = atMost(added, settings.maxLayerGas)
    // The full gas limit of a relay, because an owner's code may use all of it.
    const gas = { native: PLAIN_GAS, token: TOKEN_GAS, sweep: SWEEP_GAS, relay: settings.maxRelayGas }
    const weights = [
      { size: NATIVE_BYTES, gas: gas.native },
      { size: TOKEN_BYTES, gas: gas.token },
      { size: SWEEP_BYTES, gas: gas.sweep },
      { size: RELAY_BYTES, gas: gas.relay },
    ]
    const apart = await FEE_MODELS[settings.feeModel].apart(node, weights)
    const [native = 0n, token = 0n, sweep = 0n, relay = 0n] = weights.map(({ size }, index) =>
      atMost(apart[index] ?? 0n, mostApart(settings, size)),
    )
    return {
      nativeTransfer: (gas.native + layer) * price + native,
      tokenTransfer: (gas.token + LAYERS.transfer * layer) * price + token,
      sweep: (gas.sweep + LAYERS.transfer * layer) * price + sweep,
      relay: (gas.relay + LAYERS.call * layer) * price + relay,
      recipientGasUnit: price,
    }
  })
}

/** The usual gas price before this reading, which is then recorded, too. */
export function pastOf(
  { facts, settings }: EvmChain,
  head: Header | null,
  suggestion: bigint | Refusal,
): Prices | null {
  const now = Date.now()
  const past = usual(facts.prices, now)
  if (head) note(facts.prices, told(settings, head, suggestion), now)
  return past
}

/**
 * Fee terms that allow the base fee to double, which takes six full blocks, so that a payout does not get stuck at
 * once.
 */
export function termsNow(
  settings: Settings,
  head: Header | null,
  suggestion: bigint | Refusal,
  past: Prices | null = null,
): GasTerms {
  const { baseFee, tip } = pricesNow(settings, head, suggestion, past)
  if (baseFee + tip > settings.maxFeePerGas) {
    throw new FeeAboveLimit(`gas is above the ceiling of ${settings.maxFeePerGas} wei`)
  }
  if (baseFee + tip > ceilings(settings, past).price) {
    // The message has no numbers, because they change: equal texts alert only once.
    throw new FeeAboveLimit(
      `gas costs more than ${settings.maxFeeMultiple} times what it usually did in the last half hour`,
    )
  }
  const wanted = 2n * baseFee + tip
  const maxFeePerGas = wanted < settings.maxFeePerGas ? wanted : settings.maxFeePerGas
  return { maxFeePerGas, maxPriorityFeePerGas: tip }
}

/** Fee terms of a replacement. Nodes demand a tenth more in both numbers; an eighth satisfies all of them. */
export function termsAbove(settings: Settings, old: GasTerms, now: GasTerms): GasTerms {
  const terms = {
    maxFeePerGas: larger(now.maxFeePerGas, raised(old.maxFeePerGas)),
    maxPriorityFeePerGas: larger(now.maxPriorityFeePerGas, raised(old.maxPriorityFeePerGas)),
  }
  if (terms.maxFeePerGas > settings.maxFeePerGas) {
    throw new RetryLater(`a replacement must offer ${terms.maxFeePerGas} wei, above the ceiling`)
  }
  return terms
}

/** A tip is spent in full, so a tip far above the usual is reduced. */
function pricesNow(settings: Settings, head: Header | null, suggestion: bigint | Refusal, past: Prices | null): Prices {
  if (!head) throw new RetryLater('the node has no head')
  const { baseFee, tip } = told(settings, head, suggestion)
  const most = ceilings(settings, past).tip
  return { baseFee, tip: tip < most ? tip : most }
}

function told(settings: Settings, head: Header, suggestion: bigint | Refusal): Prices {
  if (head.baseFee === null) throw new RetryLater('the chain has no base fee: EIP-1559 is needed')
  const tip = larger(settings.minTipPerGas, suggestion instanceof Refusal ? USUAL_TIP : suggestion)
  return { baseFee: head.baseFee, tip: tip < settings.maxTipPerGas ? tip : settings.maxTipPerGas }
}

function raised(value: bigint): bigint {
  return larger(mulDiv(value, 9n, 8n, 'up'), value + 1n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
