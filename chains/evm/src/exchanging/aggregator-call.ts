/**
 * Call data that an aggregator has built, for the generic router of 1inch v6. Its fixed part names tokens, amounts and the
 * recipient, and the router enforces them, whatever the executor behind it does. Any other function is refused.
 */
import type { AggregatorRoute, Exchange } from '@causeway/core'
import { decodeFunctionData, decodeFunctionResult, type Hex, isAddressEqual, parseAbi } from 'viem'

export const AGGREGATOR_ABI = parseAbi([
  'struct SwapDescription { address srcToken; address dstToken; address srcReceiver; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; }',
  'function swap(address executor, SwapDescription desc, bytes data) payable returns (uint256 returnAmount, uint256 spentAmount)',
])

/** How aggregators name the native token. */
const AGGREGATED_NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** A longer call is more likely an attack than a route, and would cost too much where data is charged apart. */
const MAX_DATA_BYTES = 16_384

/** What of the call differs from the order; null if the router will do exactly what the order says. Asks no node. */
export function objectionToCall({ data }: AggregatorRoute, exchange: Exchange): string | null {
  const { sells, buys, minUnits, to } = exchange
  if (!/^0x([0-9a-f]{2})*$/i.test(data) || data.length > 2 + 2 * MAX_DATA_BYTES) return 'its call data is malformed'
  const desc = descriptionIn(data as Hex)
  if (!desc) return 'its call data cannot be decoded'
  const sold = sells.token.contract ?? AGGREGATED_NATIVE
  if (!isAddressEqual(desc.srcToken, sold as Hex)) return `its call sells another token: ${desc.srcToken}`
  if (buys.contract === null || !isAddressEqual(desc.dstToken, buys.contract as Hex))
    return `its call buys another token: ${desc.dstToken}`
  if (!isAddressEqual(desc.dstReceiver, to as Hex)) return `its call pays another recipient: ${desc.dstReceiver}`
  if (desc.amount !== sells.units) return `its call sells another amount: ${desc.amount}`
  if (desc.minReturnAmount < minUnits) return `its call allows less than the minimum: ${desc.minReturnAmount}`
  // Each flag loosens a check: a partial fill, extra coins, or another way to take the token.
  if (desc.flags !== 0n) return `its call has flags: ${desc.flags}`
  return null
}

function descriptionIn(data: Hex) {
  try {
    const { args } = decodeFunctionData({ abi: AGGREGATOR_ABI, data })
    return args[1]
  } catch {
    return null
  }
}

/** The output that the aggregator's router reports. */
export function aggregatedOutput(answer: Hex): bigint {
  const [returned] = decodeFunctionResult({ abi: AGGREGATOR_ABI, functionName: 'swap', data: answer })
  return returned
}
