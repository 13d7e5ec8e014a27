/**
 * One gateway of the network: questions go to `/info`, signed actions to `/exchange`. It tells a gateway that failed (try
 * another one) from one that answered, and asks once where several want to know the same at the same time.
 */
import { exchange, NodeFailure, retryAfterMs, understood } from '@causeway/core'

/** One question and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  body: Readonly<Record<string, unknown>> & { type: string }
  read(answer: unknown): T
}

export interface Node {
  /** For logs: without path and query, which may hold a key. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
  /** What became of an action, in the gateway's own words; null where it was taken. */
  post(envelope: unknown): Promise<string | null>
}

export interface NodeOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

export function openNode(url: string, { timeoutMs, spent }: NodeOptions): Node {
  const { host } = new URL(url)
  const endpoint = (path: string) => ({ name: host, url: `${url.replace(/\/+$/, '')}/${path}`, timeoutMs })
  const asked = new Map<string, Promise<unknown>>()

  function shared(body: Call<unknown>['body']): Promise<unknown> {
    const key = JSON.stringify(body)
    const running = asked.get(key) ?? send('info', body).finally(() => asked.delete(key))
    asked.set(key, running)
    return running
  }

  function send(path: string, body: unknown, method = String((body as { type?: unknown }).type)): Promise<unknown> {
    spent?.(method)
    return exchange(fetch, endpoint(path), body, answerOf)
  }

  return {
    name: host,
    async ask({ body, read }) {
      const answer = await shared(body)
      return understood(host, body.type, () => read(answer))
    },
    async post(envelope) {
      const answer = (await send('exchange', envelope, 'exchange')) as { status?: unknown; response?: unknown } | null
      if (answer?.status === 'ok') return null
      if (answer?.status === 'err') return String(answer.response)
      throw new NodeFailure(`node ${host} gave an answer to an action that cannot be read`)
    },
  }
}

/** Whatever is not 200 says nothing about the question, nor about an action: it may have been taken all the same. */
async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  throw new NodeFailure(`HTTP ${response.status}`, response.status === 429 ? retryAfterMs(response) : null)
}
