/**
 * A load balancer before the one real node, as a provider's address is one: behind it stand backends of different age, and
 * whoever asks does not choose. Of the transactions sent some are taken and never answered, some are refused at first,
 * a part of those although they were taken; and it can be down for a while.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bitcoin } from './bitcoin.ts'
import { cosmos } from './cosmos.ts'
import { type Ask, type Dialect, fieldsOf, type Question, Refused } from './dialect.ts'
import { evm } from './evm.ts'
import { fuel } from './fuel.ts'
import { BACKEND_LAGS_MS, type Balancer, type Counts, REFUSED_EVERY, UNANSWERED_EVERY } from './moods.ts'
import { rememberPast } from './past.ts'
import { type IsSend, startPlainBalancer } from './plain.ts'
import { type RestDialect, starkex, startRestBalancer, zksynclite } from './rest.ts'
import { solana } from './solana.ts'
import { starknet } from './starknet.ts'
import { ton } from './ton.ts'
import { tron } from './tron.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = { evm, bitcoin, solana, ton, tron, cosmos, fuel, starknet }
/** Those that are asked by paths. */
const REST: Readonly<Record<string, RestDialect>> = { zksynclite, starkex }
const inBody = (method: string) => (_path: string, body: string) => body.includes(method)
const inPath = (end: string) => (path: string) => path.endsWith(end)
const SENDS: Readonly<Record<string, IsSend>> = {
  hyperliquid: inPath('/exchange'),
  paradex: inBody('"starknet_addInvokeTransaction"'),
}

export async function startBalancer(family: string, target: string): Promise<Balancer> {
  const rest = REST[family]
  const moods = { lagsMs: BACKEND_LAGS_MS, unansweredEvery: UNANSWERED_EVERY, refusedEvery: REFUSED_EVERY }
  if (rest) return startRestBalancer(rest, target, moods)
  const dialect = DIALECTS[family]
  const isSend = SENDS[family]
  if (!dialect && isSend) return startPlainBalancer(isSend, target)
  if (!dialect) throw new Error(`the balancer does not speak ${family}`)
  const { post, ask } = realNode(target, dialect)
  const past = await rememberPast(() => dialect.height(ask))
  let counts: Counts = { unanswered: 0, refused: 0, stale: 0 }
  let [requests, sends, firsts] = [0, 0, 0]
  let outage = { from: 0, to: 0 }
  const sent = new Set<string>()
  const silent = new Set<ServerResponse>()

  /** Evenly spread instead of drawn, so that every run meets the same. */
  async function sending(question: Question): Promise<{ result: unknown; isLost: boolean }> {
    const bytes = dialect?.bytes(question) ?? ''
    const isFirst = !sent.has(bytes)
    sent.add(bytes)
    const isRefused = isFirst && firsts++ % REFUSED_EVERY === 1
    if (isRefused) {
      const number = counts.refused++
      if (number % 2 === 1) await ask(question.method, question.params)
      throw dialect?.refusals[Math.floor(number / 2) % dialect.refusals.length]
    }
    const result = await ask(question.method, question.params)
    return { result, isLost: sends++ % UNANSWERED_EVERY === 0 }
  }

  /** Null where the answer never comes. */
  async function answer(questions: readonly Question[], lagMs: number): Promise<(unknown | Refused)[] | null> {
    let isLost = false
    const answers: (unknown | Refused)[] = []
    for (const question of questions) {
      try {
        if (question.method === dialect?.send) {
          const taken = await sending(question)
          isLost ||= taken.isLost
          answers.push(taken.result)
        } else answers.push(await dialect?.behind(question, past.ago(lagMs), ask))
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        answers.push(error)
      }
    }
    return isLost ? null : answers
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const now = performance.now()
    if (now < outage.to) {
      if (now < (outage.from + outage.to) / 2) response.destroy()
      else response.writeHead(503, { 'content-type': 'text/html' }).end('<html>503 no server is available</html>')
      return
    }
    try {
      const body = Buffer.concat(chunks).toString()
      const parsed: unknown = JSON.parse(body)
      const path = dialect.isByPath ? (request.url ?? '').slice(1) : ''
      const questions = questionsIn(dialect, parsed, path)
      const lagMs = BACKEND_LAGS_MS[requests++ % BACKEND_LAGS_MS.length] ?? 0
      if (lagMs === 0 && questions.every(({ method }) => method !== dialect.send)) {
        const { status, text } = await post(body, path)
        if (questions.length === 1 && questions[0]) past.heard(questions[0], resultIn(dialect, text))
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
        return
      }
      const answers = await answer(questions, lagMs)
      if (answers === null) {
        counts.unanswered++
        silent.add(response)
        response.on('close', () => silent.delete(response))
        return
      }
      if (lagMs > 0) counts.stale++
      const written = questions.map(({ id }, position) => wrapped(dialect, id, answers[position]))
      const [first] = written
      const status = dialect.isToncenter && answers[0] instanceof Refused ? answers[0].code : 200
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(Array.isArray(parsed) ? written : first))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts() {
      const before = counts
      counts = { unanswered: 0, refused: 0, stale: 0 }
      return before
    },
    goDown(ms) {
      outage = { from: performance.now(), to: performance.now() + ms }
    },
    async stop() {
      past.stop()
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
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
