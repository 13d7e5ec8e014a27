/** The process behind `index.ts`: all local chains of the family, each behind toncenter's JSON-RPC. */
import { serveChains } from '@causeway/devnet/kit'
import { type ChainPlan, LocalChain } from './chain.ts'
import { FacadeError, METHODS } from './rpc-server.ts'

interface Request {
  id?: unknown
  method: string
  params?: Record<string, unknown>
}

serveChains(async (plan: ChainPlan) => {
  const chain = await LocalChain.open(plan)
  return async (request) => {
    const { id = null, method, params = {} } = request as Request
    try {
      const run = METHODS[method]
      if (!run) throw new FacadeError(404, `method not found: ${method}`)
      return { body: { ok: true, result: await run(chain, params), id, jsonrpc: '2.0' } }
    } catch (error) {
      const code = error instanceof FacadeError ? error.code : 500
      const reason = error instanceof Error ? error.message : String(error)
      return { status: code, body: { ok: false, error: reason, code, id, jsonrpc: '2.0' } }
    }
  }
})
