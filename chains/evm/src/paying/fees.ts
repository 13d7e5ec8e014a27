/** What gas costs now and what a payout offers for it, inside the operator's ceilings. */
import { type Fees, mulDiv, RetryLater, TooDear } from '@causeway/core'
import { encodeFunctionData, parseAbi } from 'viem'
import type { EvmChain } from '../chain.ts'
import { contractCall, type Header, header, tipSuggestion } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { Settings } from '../settings.ts'
import { word } from './balance.ts'
import { LAYERS, layerGas, PLAIN_GAS } from './gas.ts'

export interface GasTerms {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** An ERC-20 transfer to an account that held none before; the large stablecoins stay below. */
const TOKEN_GAS = 65_000n
/** Deploying one forwarder and flushing a token, with its share of the sweep's transaction. */
const SWEEP_GAS = 200_000n
/** The unsigned transactions in bytes, rounded up; a sweep with one address's share of the common part. */
const NATIVE_BYTES = 60
const TOKEN_BYTES = 130
const SWEEP_BYTES = 200
const RELAY_BYTES = 560
/** Where the node makes no suggestion. */
const USUAL_TIP = 1_000_000_000n

export async function fees(chain: EvmChain): Promise<Fees> {
  return chain.rpc.use(async (node) => {
    const [[head, suggestion], layer] = await Promise.all([
      node.settle([header('latest'), tipSuggestion()]),
      layerGas(chain, node),
    ])
    if (head instanceof Refusal) throw head
    const { baseFee, tip } = pricesNow(chain.settings, head, suggestion)
    const price = baseFee + tip
    const below = (size: number) => (chain.settings.l1FeeOracle ? layerBelow(node, size) : 0n)
    const [native, token, sweep, relay] = await Promise.all(
      [NATIVE_BYTES, TOKEN_BYTES, SWEEP_BYTES, RELAY_BYTES].map(below),
    )
    return {
      nativeTransfer: (PLAIN_GAS + layer) * price + (native ?? 0n),
      tokenTransfer: (TOKEN_GAS + LAYERS.transfer * layer) * price + (token ?? 0n),
      sweep: (SWEEP_GAS + LAYERS.transfer * layer) * price + (sweep ?? 0n),
      // All that it may use: an owner's code may use it up.
      relay: (chain.settings.maxRelayGas + LAYERS.call * layer) * price + (relay ?? 0n),
      effort: price,
    }
  })
}

/** What publishing so many bytes on the layer below costs, at most. */
async function layerBelow(node: Node, size: number): Promise<bigint> {
  const data = encodeFunctionData({ abi: ORACLE_ABI, functionName: 'getL1FeeUpperBound', args: [BigInt(size)] })
  const [answer] = await node.ask([contractCall({ to: L1_FEE_ORACLE, data })])
  return word(answer)
}

/** Where the OP stack keeps it on every chain. */
export const L1_FEE_ORACLE = '0x420000000000000000000000000000000000000F'
const ORACLE_ABI = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])

/** Room for the base fee to double, which takes six full blocks, so that a payout does not get stuck at once. */
export function termsNow(settings: Settings, head: Header | null, suggestion: bigint | Refusal): GasTerms {
  const { baseFee, tip } = pricesNow(settings, head, suggestion)
  if (baseFee + tip > settings.maxFeePerGas) {
    throw new TooDear(`gas is above the ceiling of ${settings.maxFeePerGas} wei`)
  }
  const wanted = 2n * baseFee + tip
  const maxFeePerGas = wanted < settings.maxFeePerGas ? wanted : settings.maxFeePerGas
  return { maxFeePerGas, maxPriorityFeePerGas: tip }
}

/** Nodes replace a transaction only for a tenth more in both numbers; an eighth satisfies all of them. */
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

function pricesNow(settings: Settings, head: Header | null, suggestion: bigint | Refusal) {
  if (!head) throw new RetryLater('the node has no head')
  if (head.baseFee === null) throw new RetryLater('the chain has no base fee: EIP-1559 is needed')
  const suggested = suggestion instanceof Refusal ? USUAL_TIP : suggestion
  const tip = larger(settings.minTipPerGas, suggested)
  return { baseFee: head.baseFee, tip: tip < settings.maxTipPerGas ? tip : settings.maxTipPerGas }
}

function raised(value: bigint): bigint {
  return larger(mulDiv(value, 9n, 8n, 'up'), value + 1n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
