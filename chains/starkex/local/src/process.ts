/** The process behind `index.ts`: all local ledgers of the family, each behind its operator's REST API. */
import { serveChains } from '@causeway/devnet/kit'
import { Operator, type Plan, Refused } from './operator.ts'
import { answer } from './rpc-server.ts'

serveChains(async (plan: Plan) => {
  const operator = new Operator(plan)
  return async (body, asked) => {
    try {
      return { body: await answer(operator, body, asked) }
    } catch (error) {
      const { status, code } = error instanceof Refused ? error : { status: 500, code: 'internal_error' }
      return { status, body: { code, message: error instanceof Error ? error.message : String(error) } }
    }
  }
})
