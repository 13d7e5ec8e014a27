/**
 * A simulated aggregator for local chains: the swap API of 1inch v6 in miniature. It routes through the chain's real
 * Uniswap pools, by the better of V2 and V3, and its router is `SimulatedAggregationRouter`. A test may change its answers.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SimulatedAggregationRouter, SimulatedExecutor } from '@causeway/contracts'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type Ask, UNISWAP, uniswapOn } from './uniswap.ts'

/** Where a local chain has the contracts. The real router has another address. */
export const AGGREGATION_ROUTER = getAddress('0x11111100000000000000000000000000000a66a6')
const AGGREGATION_EXECUTOR = getAddress('0x11111100000000000000000000000000000ecec0')

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const FEE_PPM = 3000
const FAR_FUTURE = 10n ** 12n
const ALL_BPS = 10_000n
const BPS_PER_PERCENT = 100
const UNAUTHORIZED = 401
const NO_LIQUIDITY = 400

const ROUTER_ABI = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'struct ExactInputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactInputSingle params) payable returns (uint256 amountOut)',
])

/** The fixed part of a call, which tests change. */
export interface Description {
  srcToken: Address
  dstToken: Address
  srcReceiver: Address
  dstReceiver: Address
  amount: bigint
  minReturnAmount: bigint
  flags: bigint
}

export interface AggregatorAnswerBody {
  srcToken: { address: string }
  dstToken: { address: string }
  dstAmount: string
  tx: { from: string; to: string; data: string; value: string; gas: number; gasPrice: string }
}

export interface SimulatedAggregator {
  url: string
  router: Address
  /** The queries that it got. */
  asked: URLSearchParams[]
  /** The chains, by chain id. A chain must be added before it is asked for. */
  addChain(chainId: string, ask: Ask): Promise<void>
  /** Changes the call before it is encoded. Null: honest. */
  description: ((honest: Description) => Partial<Description>) | null
  /** Changes the answer before it is sent, or answers itself and returns null. */
  answer: ((honest: AggregatorAnswerBody, response: ServerResponse) => unknown) | null
  stop(): Promise<void>
}

export async function startAggregator(key: string | null = null): Promise<SimulatedAggregator> {
  const chains = new Map<string, Ask>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local')
    answerTo(url, request.headers.authorization ?? null, response).catch((error) =>
      send(response, NO_LIQUIDITY, { error: 'Bad Request', description: String(error), statusCode: NO_LIQUIDITY }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const aggregator: SimulatedAggregator = {
    url: `http://127.0.0.1:${port}/swap/v6.0`,
    router: AGGREGATION_ROUTER,
    asked: [],
    description: null,
    answer: null,
    async addChain(chainId, ask) {
      await ask('hardhat_setCode', [AGGREGATION_ROUTER, SimulatedAggregationRouter.deployedBytecode])
      await ask('hardhat_setCode', [AGGREGATION_EXECUTOR, SimulatedExecutor.deployedBytecode])
      chains.set(chainId, ask)
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return aggregator

  async function answerTo(url: URL, authorization: string | null, response: ServerResponse): Promise<void> {
    if (key !== null && authorization !== `Bearer ${key}`)
      return send(response, UNAUTHORIZED, { error: 'Unauthorized', statusCode: UNAUTHORIZED })
    const chainId = /^\/swap\/v6\.0\/(\d+)\/swap$/.exec(url.pathname)?.[1] ?? ''
    const ask = chains.get(chainId)
    if (!ask) throw new Error(`there is no chain ${chainId}`)
    aggregator.asked.push(url.searchParams)
    const honest = await swapOf(ask, url.searchParams, aggregator.description)
    const body = aggregator.answer ? aggregator.answer(honest, response) : honest
    if (body !== null) send(response, 200, body)
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function swapOf(
  ask: Ask,
  query: URLSearchParams,
  change: SimulatedAggregator['description'],
): Promise<AggregatorAnswerBody> {
  const given = (name: string) => query.get(name) ?? ''
  const [src, dst] = [given('src'), given('dst')] as [Address, Address]
  const [from, amount] = [given('from'), BigInt(given('amount'))] as const
  const slippageBps = BigInt(Math.round(Number(given('slippage')) * BPS_PER_PERCENT))
  const isNative = src === NATIVE
  const { out, exchange, call } = await bestCall(ask, isNative ? UNISWAP.weth : src, dst, amount, isNative)
  const honest: Description = {
    ...{ srcToken: src, dstToken: dst, srcReceiver: AGGREGATION_EXECUTOR },
    ...{ dstReceiver: (given('receiver') || from) as Address, amount, flags: 0n },
    minReturnAmount: (out * (ALL_BPS - slippageBps)) / ALL_BPS,
  }
  const steps = encodeAbiParameters(parseAbiParameters('address, address, address, uint256, bytes'), [
    ...[isNative ? UNISWAP.weth : src, dst, exchange, amount, call],
  ] as [Address, Address, Address, bigint, Hex])
  const data = encodeFunctionData({
    abi: SimulatedAggregationRouter.abi,
    functionName: 'swap',
    args: [AGGREGATION_EXECUTOR, { ...honest, ...change?.(honest) }, steps],
  })
  return {
    ...{ srcToken: { address: src }, dstToken: { address: dst }, dstAmount: out.toString() },
    tx: { from, to: AGGREGATION_ROUTER, data, value: (isNative ? amount : 0n).toString(), gas: 0, gasPrice: '0' },
  }
}

/** The call of the exchange that gives the most, made by the executor in favour of the aggregation router. */
async function bestCall(ask: Ask, tokenIn: Address, tokenOut: Address, amount: bigint, isNative: boolean) {
  const uniswap = uniswapOn(ask)
  const path = [tokenIn, tokenOut]
  const [v2, v3] = await Promise.all([
    uniswap.quoteV2(path, amount).catch(() => 0n),
    uniswap.quoteV3(tokenIn, tokenOut, FEE_PPM, amount).catch(() => 0n),
  ])
  if (v2 === 0n && v3 === 0n) throw new Error('insufficient liquidity')
  const recipient = AGGREGATION_ROUTER
  if (v3 > v2 && !isNative) {
    const trade = { tokenIn, tokenOut, fee: FEE_PPM, recipient, deadline: FAR_FUTURE, amountIn: amount }
    const args = [{ ...trade, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }] as const
    const call = encodeFunctionData({ abi: ROUTER_ABI, functionName: 'exactInputSingle', args })
    return { out: v3, exchange: UNISWAP.router3, call }
  }
  const call = isNative
    ? encodeFunctionData({
        abi: ROUTER_ABI,
        functionName: 'swapExactETHForTokens',
        args: [0n, path, recipient, FAR_FUTURE],
      })
    : encodeFunctionData({
        abi: ROUTER_ABI,
        functionName: 'swapExactTokensForTokens',
        args: [amount, 0n, path, recipient, FAR_FUTURE],
      })
  return { out: v2, exchange: UNISWAP.router2, call }
}
