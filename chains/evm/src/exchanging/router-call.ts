/**
 * The router call of an exchange, for Uniswap V2 and V3 and their forks, or as an aggregator has built it. It follows from
 * the order alone, so that a signer computes the same call and need not trust a draft.
 */
import {
  type Address,
  Bug,
  type Exchange,
  isAggregated,
  type LegRoute,
  parseRoute,
  type RouterApproval,
} from '@causeway/core'
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import type { EvmChain } from '../chain.ts'
import { AGGREGATOR_ABI, objectionToCall } from './aggregator-call.ts'

export const ROUTER_ABI = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)',
  'struct ExactInputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactInputSingle params) payable returns (uint256 amountOut)',
])

export interface RouterCall {
  to: Address
  value: bigint
  data: Hex
}

/** Throws a `Bug` for an exchange that no draft can make valid: of another network, token or router. */
export function routerCall(chain: EvmChain, exchange: Exchange): RouterCall {
  const route = parseRoute(exchange.route)
  assertOwnTerms(chain, exchange, route)
  const { sells, minUnits } = exchange
  const [tokenIn, tokenOut] = route.path.map((contract) => getAddress(contract)) as [Hex, Hex]
  const to = getAddress(exchange.to)
  const deadline = BigInt(Math.floor(exchange.deadline.getTime() / 1000))
  const value = sells.token.contract === null ? sells.units : 0n
  if (isAggregated(route)) return { to: route.router, value, data: route.data as Hex }
  if (route.kind === 'uniswap_v3') {
    const terms = { tokenIn, tokenOut, fee: route.feePpm, recipient: to, deadline }
    const params = { ...terms, amountIn: sells.units, amountOutMinimum: minUnits, sqrtPriceLimitX96: 0n }
    const data = encodeFunctionData({ abi: ROUTER_ABI, functionName: 'exactInputSingle', args: [params] })
    return { to: route.router, value, data }
  }
  const path = [tokenIn, tokenOut]
  const data =
    value > 0n
      ? encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'swapExactETHForTokens',
          args: [minUnits, path, to, deadline],
        })
      : encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'swapExactTokensForTokens',
          args: [sells.units, minUnits, path, to, deadline],
        })
  return { to: route.router, value, data }
}

function assertOwnTerms(chain: EvmChain, exchange: Exchange, route: LegRoute): void {
  const { network, sells, buys, minUnits } = exchange
  const facts = { provider: exchange.provider, router: route.router }
  const isListed = isAggregated(route) ? isAggregator(chain, route.router) : isPoolRouter(chain, route.router)
  if (!isListed) throw new Bug('a router that the network file does not list', facts)
  if (network !== chain.network.name || sells.token.network !== network || buys.network !== network)
    throw new Bug('an exchange of another network', facts)
  if (sells.units <= 0n || minUnits <= 0n) throw new Bug('an exchange needs amounts', facts)
  const [tokenIn, tokenOut] = route.path.map((contract) => contract.toLowerCase())
  // The pool's transfer to the recipient must be visible in the receipt, so the bought token is never the native one.
  if (buys.contract === null || buys.contract.toLowerCase() !== tokenOut)
    throw new Bug('the route buys another token', facts)
  const isNative = sells.token.contract === null
  if (isNative !== (route.native === 'in') || route.native === 'out') throw new Bug('the route sells otherwise', facts)
  // The value of a call that sells another token than the wrapped native one would stay in the router, for anyone.
  const sold = sells.token.contract ?? wrappedNativeOf(chain, route)
  if (sold?.toLowerCase() !== tokenIn) throw new Bug('the route sells another token', facts)
  if (tokenIn === tokenOut) throw new Bug('the route buys what it sells', facts)
  const objection = isAggregated(route) ? objectionToCall(route, exchange) : null
  if (objection) throw new Bug(`an aggregator's call is not the order: ${objection}`, facts)
}

const ROUTER_FUNCTIONS = new Set([...ROUTER_ABI, ...AGGREGATOR_ABI].map((one) => toFunctionSelector(one)))

/** Whether the call data is for a function by which routers exchange. */
export function isRouterFunction(data: Hex): boolean {
  return ROUTER_FUNCTIONS.has(data.slice(0, 10).toLowerCase() as Hex)
}

/** Whether the network file lists this address as a router that may exchange. */
export function isRouter(chain: EvmChain, address: Address): boolean {
  return isPoolRouter(chain, address) || isAggregator(chain, address)
}

function isPoolRouter({ network }: EvmChain, address: Address): boolean {
  return (network.providers ?? []).some(({ router }) => router.toLowerCase() === address.toLowerCase())
}

function isAggregator({ network }: EvmChain, address: Address): boolean {
  return (network.aggregators ?? []).some(({ router }) => router.toLowerCase() === address.toLowerCase())
}

/** An aggregator exchanges pairs of the listed pools, so any provider knows the wrapped token. */
function wrappedNativeOf({ network }: EvmChain, route: LegRoute): Address | null {
  const listed = (network.providers ?? []).filter(
    ({ router }) => isAggregated(route) || router.toLowerCase() === route.router.toLowerCase(),
  )
  return listed.find(({ wrappedNative }) => wrappedNative !== null)?.wrappedNative ?? null
}

/** An approval above this is as good as unlimited. */
const UNLIMITED = 2n ** 128n

/**
 * The approval in these bytes; null for any other call. Encoded again, so that nothing hides behind the arguments. It
 * does not judge the spender: that is for the caller.
 */
export function decodeApproval(to: Address, data: Hex): RouterApproval | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    if (functionName !== 'approve') return null
    const [router, units] = args
    const isSame = encodeFunctionData({ abi: erc20Abi, functionName, args }) === data.toLowerCase()
    return isSame ? { router, token: to, units } : null
  } catch {
    return null
  }
}

/** Whether the call approves a listed router for a listed token, for a limited amount. */
export function isApproval(chain: EvmChain, to: Address, data: Hex): boolean {
  const approval = decodeApproval(to, data)
  if (!approval || !chain.tokens.has(to.toLowerCase())) return false
  return isRouter(chain, approval.router) && approval.units < UNLIMITED
}

/** Why no signer would make this exchange; null if it would. For routes that others have built. */
export function objectionToExchange(chain: EvmChain, exchange: Exchange): string | null {
  try {
    routerCall(chain, exchange)
    return null
  } catch (error) {
    if (error instanceof Bug) return error.message
    throw error
  }
}
