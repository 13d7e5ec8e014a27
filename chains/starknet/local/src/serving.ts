/** A local chain as a server of JSON-RPC, with blocks by the clock: soon after something waits, and now and then when nothing does. */
import { jsonRpc, RpcError } from '@causeway/devnet/kit'
import { LocalChain } from './chain.ts'
import { controlsOf } from './controls.ts'
import { methodsOf } from './methods.ts'
import type { ChainPlan } from './plan.ts'

/** While something waits, so that people do not. */
const BUSY_MS = 30

export function openLocal(plan: ChainPlan, more?: (chain: LocalChain) => void) {
  const chain = new LocalChain(plan, more)
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
  }
  return jsonRpc((method, params) => {
    const run = methods[method]
    if (!run) throw new RpcError(-32601, 'Method not found')
    // By name as all clients ask; those without parameters may come with an empty list.
    return run(Array.isArray(params) ? {} : (params as unknown as Record<string, unknown>))
  })
}
