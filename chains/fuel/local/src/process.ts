/** The process behind `index.ts`: all local chains of the family, each behind the GraphQL of a Fuel node. */
import { serveChains } from '@causeway/devnet/kit'
import { openLedger, type Plan } from './ledger.ts'
import { answerOver } from './rpc-server.ts'

serveChains(async (plan: Plan) => {
  const ledger = openLedger(plan)
  if (plan.blockEveryMs !== null) setInterval(() => ledger.mine(), plan.blockEveryMs)
  return answerOver(ledger)
})
