/**
 * Constant-product pools on the simulated chains. The reserves are the pool's balances on chain. An exchange is judged in
 * the block that mines it, by the reserves of that block, like a contract call: it pays the recipient, or it reverts.
 */
import { type Exchange, poolCurve, type Token, tokenKey } from '@causeway/core'
import type { SimulatedChain } from '../../../chains/simulated/local/src/index.ts'
import { POOL, type PoolModel } from '../../support/chains/exchange-double.ts'

const FEE_PPM = 3000n
const PPM = 1_000_000n

export interface Pools extends PoolModel {
  /** A paused router: every exchange fails. */
  isPaused: boolean
  /** Exchanges that revert although their preparation succeeded. */
  reverts: number
  /** The node claims this many times the output of the exchanges that it is asked about. */
  overstates: bigint
  /** The real output of the mined transaction, whatever the node claims. */
  gave(hash: string, exchange: Exchange): bigint
  fill(network: string, token: Token, units: bigint): void
  /** A third party changes a reserve by this many percent, along the curve. */
  move(network: string, tokens: readonly [Token, Token], percent: bigint): void
  empty(network: string, tokens: readonly Token[]): void
  mine(network: string, blocks: number): void
  /** The exchanges of a network that were mined and did not revert. */
  made(network: string): Exchange[]
}

export function createPools(chainOf: (network: string) => SimulatedChain): Pools {
  const known = new Map<string, Exchange>()
  const reserve = ({ network, contract }: Token) => chainOf(network).balance(POOL, contract)
  const pools: Pools = {
    isPaused: false,
    reverts: 0,
    overstates: 1n,
    outOf({ sells, buys }) {
      const [reserveIn, reserveOut] = [reserve(sells.token), reserve(buys)]
      if (pools.isPaused || reserveIn <= 0n || reserveOut <= 0n) return null
      const afterFee = sells.units * (PPM - FEE_PPM)
      return (afterFee * reserveOut) / (reserveIn * PPM + afterFee)
    },
    signed: (hash, exchange) => void known.set(hash, exchange),
    received: (hash, exchange) => pools.gave(hash, exchange) * pools.overstates,
    gave(hash, { sells, buys, to }) {
      const landed = chainOf(sells.token.network).find(hash)?.landed
      const moves = landed && !landed.reverted ? landed.transaction.moves : []
      return moves
        .filter((move) => move.from === POOL && move.to === to && move.contract === buys.contract)
        .reduce((sum, { units }) => sum + units, 0n)
    },
    curve(sells, buys) {
      const [token0, token1] = [tokenKey(sells), tokenKey(buys)]
      const pool = { kind: 'uniswap_v2' as const, address: POOL, token0, token1, feePpm: Number(FEE_PPM) }
      const state = { kind: 'uniswap_v2' as const, reserve0: reserve(sells), reserve1: reserve(buys) }
      return poolCurve(pool, state, token0)
    },
    fill: (network, { contract }, units) => chainOf(network).mint(POOL, contract, units),
    move(network, [one, other], percent) {
      const [before, after] = [reserve(one), (reserve(one) * (100n + percent)) / 100n]
      if (after <= 0n) return
      const product = before * reserve(other)
      chainOf(network).mint(POOL, one.contract, after - before)
      chainOf(network).mint(POOL, other.contract, product / after - reserve(other))
    },
    empty(network, tokens) {
      for (const token of tokens) chainOf(network).mint(POOL, token.contract, -reserve(token))
    },
    mine(network, blocks) {
      const chain = chainOf(network)
      for (const { hash, account } of [...chain.mempool]) {
        const exchange = known.get(hash)
        if (!exchange) continue
        const { sells, buys, minUnits, to } = exchange
        const out = pools.outOf(exchange)
        const isReverting = out === null || out < minUnits || pools.reverts > 0
        if (isReverting && pools.reverts > 0) pools.reverts--
        const sold = { from: account, to: POOL, contract: sells.token.contract, units: sells.units }
        const bought = { from: POOL, to, contract: buys.contract, units: isReverting ? 10n ** 40n : (out ?? 0n) }
        chain.alter(hash, [sold, bought])
        chain.mine(1)
      }
      chain.mine(blocks)
    },
    made(network) {
      const chain = chainOf(network)
      const isMade = (hash: string) => chain.find(hash)?.landed.reverted === false
      return [...known].flatMap(([hash, one]) => (one.network === network && isMade(hash) ? [one] : []))
    },
  }
  return pools
}
