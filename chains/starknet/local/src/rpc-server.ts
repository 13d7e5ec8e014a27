/**
 * A local chain as a JSON-RPC server, with blocks by the clock: soon after a transaction is pending, and regularly when
 * idle.
 */
import { type Asked, type Chain, jsonRpc, RpcError } from '@causeway/devnet/kit'
import { LocalChain } from './chain.ts'
import { controlsOf } from './controls.ts'
import type { ChainPlan } from './plan.ts'
import { type Methods, methodsOf } from './rpc-methods.ts'

/** The block interval while transactions are pending, so that users need not wait. */
const BUSY_MS = 30

/** Features of another kind of chain in addition to Starknet's. */
export interface Extras {
  /** Further contracts and their initial state. */
  prepare?(chain: LocalChain): void
  controls?(chain: LocalChain): Methods
  /** Masks parts of an answer that the caller may not see; null shows all of it. */
  veil?(chain: LocalChain, asked: Asked): Veil | null
}

export type Veil = (method: string, params: Record<string, unknown>, result: unknown) => unknown

export function openLocal(plan: ChainPlan, { prepare, controls, veil }: Extras = {}): Chain {
  const chain = new LocalChain(plan, prepare)
  let isHeld = false
  let lastAt = Date.now()
  setInterval(() => {
    const isDue = chain.waiting.size > 0 || Date.now() - lastAt >= plan.blockMs
    if (isHeld || !isDue) return
    chain.mine()
    lastAt = Date.now()
  }, BUSY_MS)
  const methods = {
    ...methodsOf(chain),
    ...controlsOf(chain, (held) => {
      isHeld = held
    }),
    ...controls?.(chain),
  }
  return (request, asked) => {
    const cover = veil?.(chain, asked) ?? null
    const answer = jsonRpc((method, list) => {
      const run = methods[method]
      if (!run) throw new RpcError(-32601, 'Method not found')
      // Named parameters, as all clients send them; calls without parameters may have an empty list.
      const params = Array.isArray(list) ? {} : (list as unknown as Record<string, unknown>)
      const result = run(params)
      return cover ? cover(method, params, result) : result
    })
    return answer(request, asked)
  }
}
