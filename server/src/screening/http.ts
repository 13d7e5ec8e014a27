/**
 * A screening service over HTTP: `POST {"addresses":[{"network","address"}]}` answers `{"hits":[{"network","address",
 * "reason"}]}`. If it does not answer, the result is unknown and a payout waits.
 */
import { RetryLater } from '@causeway/core'
import { z } from 'zod'
import type { Screener } from './screener.ts'

/** Short, because a user may be waiting for their swap to be created. */
const TIMEOUT_MS = 3_000

const Answer = z.object({ hits: z.array(z.object({ network: z.string(), address: z.string(), reason: z.string() })) })

export function httpScreener(url: string, token: string | null): Screener {
  return {
    name: 'http',
    async screen(suspects) {
      if (suspects.length === 0) return null
      const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
      const body = JSON.stringify({ addresses: suspects.map(({ network, address }) => ({ network, address })) })
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(() => null)
      if (!response?.ok) throw new RetryLater('the screening service does not answer')
      const parsed = Answer.safeParse(await response.json().catch(() => null))
      if (!parsed.success) throw new RetryLater('the screening service answers in a way we do not understand')
      return parsed.data.hits[0] ?? null
    },
  }
}
