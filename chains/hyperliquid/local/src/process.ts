/** The process behind `index.ts`: all local chains of the family, each behind the network's own API. */
import { serveChains } from '@causeway/devnet/kit'
import { type ChainPlan, LocalChain } from './chain.ts'
import { CONTROLS } from './controls.ts'
import { isEnvelope, runAction } from './exchange.ts'
import { ANSWERS, USUAL_WEIGHT, WEIGHTS } from './info.ts'

const MINUTE_MS = 60_000
const ROWS_FOR_ONE = 20

serveChains(async (plan: ChainPlan) => {
  const chain = new LocalChain(plan)
  let spent: { at: number; weight: number }[] = []

  function isOverBudget(weight: number): boolean {
    const { weightPerMinute } = chain.faults
    spent = spent.filter(({ at }) => Date.now() - at < MINUTE_MS)
    if (weightPerMinute === null) return false
    if (spent.reduce((sum, one) => sum + one.weight, weight) > weightPerMinute) return true
    spent.push({ at: Date.now(), weight })
    return false
  }

  let actions = 0

  return async (body) => {
    chain.turn()
    if (isEnvelope(body)) {
      actions += 1
      const { refusals, refuseEvery, loseEvery } = chain.faults
      if (refusals > 0 || (refuseEvery > 0 && actions % refuseEvery === 0)) {
        chain.faults.refusals = Math.max(0, refusals - 1)
        return { status: 502, body: 'Bad gateway' }
      }
      if (chain.faults.lostActions > 0) {
        chain.faults.lostActions -= 1
        return { body: { status: 'ok', response: { type: 'default' } } }
      }
      const answer = runAction(chain, body)
      const isLost = chain.faults.lostAnswers > 0 || (loseEvery > 0 && actions % loseEvery === 0)
      if (!isLost) return { body: answer }
      chain.faults.lostAnswers = Math.max(0, chain.faults.lostAnswers - 1)
      return { status: 504, body: 'Gateway timeout' }
    }
    const question = (body ?? {}) as Record<string, unknown>
    const type = String(question.type)
    const control = CONTROLS[type]
    if (control) return { body: control(chain, question) ?? null }
    const answer = ANSWERS[type]
    if (!answer) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' }
    try {
      const told = answer(chain, question)
      const rows = Array.isArray(told) ? Math.floor(told.length / ROWS_FOR_ONE) : 0
      if (isOverBudget((WEIGHTS[type] ?? USUAL_WEIGHT) + rows)) return { status: 429, body: null }
      return { body: told }
    } catch (error) {
      if (error instanceof TypeError) return { status: 422, body: error.message }
      throw error
    }
  }
})
