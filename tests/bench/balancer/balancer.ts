/**
 * A load balancer in front of the one real node, like a provider's URL: backends with different lags answer, and the
 * client does not choose. Some sends get no answer, some are refused at first, and half of those are accepted anyway.
 * It can also be down for a while.
 */
import type { IncomingMessage } from 'node:http'
import { bitcoin } from './bitcoin.ts'
import { cosmos } from './cosmos.ts'
import { type Ask, type Dialect, fieldsOf, type Question, Refused } from './dialect.ts'
import { evm } from './evm.ts'
import { type Balancer, openFront, type Told } from './front.ts'
import { fuel } from './fuel.ts'
import { createMoods } from './moods.ts'
import { rememberPast } from './past.ts'
import { PLAIN, startPlainBalancer } from './plain.ts'
import { solana } from './solana.ts'
import { starknet } from './starknet.ts'
import { ton } from './ton.ts'
import { tron } from './tron.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = { evm, bitcoin, solana, ton, tron, cosmos, fuel, starknet }

export async function startBalancer(family: string, target: string): Promise<Balancer> {
  const plain = PLAIN[family]
  if (plain) return startPlainBalancer(plain, target)
  const dialect = DIALECTS[family]
  if (!dialect) throw new Error(`the balancer does not speak ${family}`)
  return startSpeakingBalancer(dialect, target)
}

/** Decodes requests and answers as a lagging node would. */
async function startSpeakingBalancer(dialect: Dialect, target: string): Promise<Balancer> {
  const { post, ask } = realNode(target, dialect)
  const past = await rememberPast(() => dialect.height(ask))
  const moods = createMoods()

  function sending(question: Question): Promise<{ answer: unknown } | null> {
    const take = () => ask(question.method, question.params)
    return moods.send(dialect.bytes(question), take, (number) => {
      throw dialect.refusals[number % dialect.refusals.length]
    })
  }

  /** Null if the answer never comes. */
  async function answersTo(questions: readonly Question[], lagMs: number): Promise<(unknown | Refused)[] | null> {
    let isLost = false
    const answers: (unknown | Refused)[] = []
    for (const question of questions) {
      try {
        if (question.method === dialect.send) {
          const taken = await sending(question)
          isLost ||= taken === null
          answers.push(taken?.answer)
        } else answers.push(await dialect.behind(question, past.ago(lagMs), ask))
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        answers.push(error)
      }
    }
    return isLost ? null : answers
  }

  async function answer({ url = '' }: IncomingMessage, body: string): Promise<Told | null> {
    const parsed: unknown = JSON.parse(body)
    const path = dialect.isByPath ? url.slice(1) : ''
    const questions = questionsIn(dialect, parsed, path)
    const lagMs = moods.nextLagMs()
    if (lagMs === 0 && questions.every(({ method }) => method !== dialect.send)) {
      const { status, text } = await post(body, path)
      if (questions.length === 1 && questions[0]) past.heard(questions[0], resultIn(dialect, text))
      return { status, body: text }
    }
    const answers = await answersTo(questions, lagMs)
    if (answers === null) return null
    if (lagMs > 0) moods.counts.stale++
    const written = questions.map(({ id }, position) => wrapped(dialect, id, answers[position]))
    const status = dialect.isToncenter && answers[0] instanceof Refused ? answers[0].code : 200
    return { status, body: JSON.stringify(Array.isArray(parsed) ? written : written[0]) }
  }

  return openFront(moods.counts, answer, past.stop)
}

function realNode(target: string, dialect: Dialect) {
  const { origin, pathname, search, username, password } = new URL(target)
  const headers = {
    'content-type': 'application/json',
    ...(username && { authorization: `Basic ${btoa(`${username}:${password}`)}` }),
  }
  async function post(body: string, path = ''): Promise<{ status: number; text: string }> {
    const url = origin + pathname + (path ? `/${path}` : '') + search
    const answer = await fetch(url, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  const ask: Ask = async (method, params) => {
    if (dialect.isByPath) return JSON.parse((await post(JSON.stringify(params), method)).text)
    if (dialect.isGraphql) return graphqlAnswer(await post(JSON.stringify(params)))
    const { text, status } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { error, result, code } = fieldsOf(JSON.parse(text))
    if (dialect.isToncenter && error !== undefined) throw new Refused(Number(code ?? status), String(error))
    const { code: number, message, data } = fieldsOf(error)
    if (error) throw new Refused(Number(number), String(message), data)
    return result
  }
  return { post, ask }
}

type Numbered = Question & { id: unknown }

function questionsIn({ isGraphql }: Dialect, parsed: unknown, path: string): Numbered[] {
  if (path) return [{ method: path, params: parsed, id: null }]
  if (isGraphql) return [{ id: null, method: String(fieldsOf(parsed).operationName), params: parsed }]
  return (Array.isArray(parsed) ? parsed : [parsed]) as Numbered[]
}

function graphqlAnswer({ text }: { text: string }): unknown {
  const body: unknown = JSON.parse(text)
  const { errors } = fieldsOf(body)
  if (Array.isArray(errors)) throw new Refused(0, String(fieldsOf(errors[0]).message), body)
  return body
}

function resultIn({ isByPath }: Dialect, text: string): unknown {
  return isByPath ? JSON.parse(text) : fieldsOf(JSON.parse(text)).result
}

function wrapped({ isToncenter, isByPath, isGraphql }: Dialect, id: unknown, answer: unknown): unknown {
  if (isByPath) return answer instanceof Refused ? answer.data : answer
  if (isGraphql && answer instanceof Refused)
    return answer.data ?? { data: null, errors: [{ message: answer.message }] }
  if (isGraphql) return answer
  if (!(answer instanceof Refused))
    return isToncenter ? { ok: true, result: answer } : { jsonrpc: '2.0', id, result: answer }
  const { code, message, data } = answer
  if (isToncenter) return { ok: false, error: message, code }
  return { jsonrpc: '2.0', id, result: null, error: { code, message, ...(data === undefined ? {} : { data }) } }
}
