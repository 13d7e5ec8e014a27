/** Reads the state of Uniswap V2 and V3 pools at one block: reserves, or the price and the ticks near it. */
import { type Pool, type PoolState, type PoolStates, RetryLater } from '@causeway/core'
import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { EvmChain } from '../chain.ts'
import { header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Read, readAll } from './multicall.ts'

const PAIR_ABI = parseAbi(['function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 at)'])
const POOL_ABI = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 cardinality, uint16 next, uint8 fees, bool unlocked)',
  'function liquidity() view returns (uint128)',
  'function tickSpacing() view returns (int24)',
  'function tickBitmap(int16 word) view returns (uint256)',
  'function ticks(int24 tick) view returns (uint128 gross, int128 net, uint256 f0, uint256 f1, int56 c, uint160 s, uint32 t, bool initialized)',
])

/** Words of the tick bitmap that are read on each side of the price. A word has 256 ticks. */
const WORDS_BESIDE = 2
const WORD = 256
const MIN_TICK = -887_272
const MAX_TICK = 887_272

type View = 'slot0' | 'liquidity' | 'tickSpacing'

export async function readPools(chain: EvmChain, pools: readonly Pool[]): Promise<PoolStates> {
  return chain.rpc.use(async (node) => {
    const [head] = await node.ask([header('latest')])
    if (!head) throw new RetryLater('the node has no head')
    const { number, hash } = head
    const block = { number, hash }
    const reads = pools.map(({ kind, address }): Read[] => {
      if (kind === 'uniswap_v2') return [{ to: address, data: encodeFunctionData({ abi: PAIR_ABI }) }]
      return (['slot0', 'liquidity', 'tickSpacing'] as const).map((functionName) => viewOf(address, functionName))
    })
    const answers = regroup(reads, await readAll(chain, node, reads.flat(), number))
    const states = await Promise.all(pools.map((pool, at) => stateOf(chain, node, pool, answers[at] ?? [], number)))
    return { block, states }
  })
}

function viewOf(to: string, functionName: View): Read {
  return { to, data: encodeFunctionData({ abi: POOL_ABI, functionName }) }
}

async function stateOf(
  chain: EvmChain,
  node: Node,
  { kind, address }: Pool,
  [first, second, third]: readonly (Hex | null)[],
  block: bigint,
): Promise<PoolState | null> {
  if (!first) return null
  if (kind === 'uniswap_v2') {
    const [reserve0, reserve1] = decodeFunctionResult({ abi: PAIR_ABI, functionName: 'getReserves', data: first })
    return { kind, reserve0, reserve1 }
  }
  if (!second || !third) return null
  const [sqrtPriceX96, tick] = decodeFunctionResult({ abi: POOL_ABI, functionName: 'slot0', data: first })
  const liquidity = decodeFunctionResult({ abi: POOL_ABI, functionName: 'liquidity', data: second })
  const tickSpacing = decodeFunctionResult({ abi: POOL_ABI, functionName: 'tickSpacing', data: third })
  const near = await ticksNear(chain, node, address, { tick, tickSpacing }, block)
  return near && { kind, sqrtPriceX96, liquidity, tick, tickSpacing, ...near }
}

/** The initialised ticks in the words of the bitmap around the price; null if the node did not answer for all of them. */
async function ticksNear(
  chain: EvmChain,
  node: Node,
  to: string,
  { tick, tickSpacing }: { tick: number; tickSpacing: number },
  block: bigint,
) {
  const wordOf = (index: number) => Math.floor(Math.floor(index / tickSpacing) / WORD)
  const first = Math.max(wordOf(tick) - WORDS_BESIDE, wordOf(MIN_TICK))
  const last = Math.min(wordOf(tick) + WORDS_BESIDE, wordOf(MAX_TICK))
  const words = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const bitmaps = await readAll(
    chain,
    node,
    words.map((word) => ({
      to,
      data: encodeFunctionData({ abi: POOL_ABI, functionName: 'tickBitmap', args: [word] }),
    })),
    block,
  )
  if (bitmaps.includes(null)) return null
  const indexes = words.flatMap((word, at) => {
    const bits = BigInt(bitmaps[at] ?? '0x0')
    const set = Array.from({ length: WORD }, (_, bit) => bit).filter((bit) => (bits >> BigInt(bit)) & 1n)
    return set.map((bit) => (word * WORD + bit) * tickSpacing)
  })
  const answers = await readAll(
    chain,
    node,
    indexes.map((index) => ({ to, data: encodeFunctionData({ abi: POOL_ABI, functionName: 'ticks', args: [index] }) })),
    block,
  )
  const ticks = indexes.flatMap((index, at) => {
    const data = answers[at]
    if (!data) return []
    const [, liquidityNet] = decodeFunctionResult({ abi: POOL_ABI, functionName: 'ticks', data })
    return [{ index, liquidityNet }]
  })
  if (ticks.length < indexes.length) return null
  return { ticks, fromTick: first * WORD * tickSpacing, toTick: ((last + 1) * WORD - 1) * tickSpacing }
}

function regroup<T>(groups: readonly (readonly unknown[])[], flat: readonly T[]): T[][] {
  let from = 0
  return groups.map(({ length }) => {
    from += length
    return flat.slice(from - length, from)
  })
}
