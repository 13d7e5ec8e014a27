/** HTTP client of the separate signer process. */
import type { z } from 'zod'
import { ErrorAnswer } from './protocol.ts'
import { SignerRefusal, SignerUnavailable } from './refusal.ts'

export interface SignerConnection {
  url: string
  token: string
  timeoutMs: number
}

const FORBIDDEN = 403

/**
 * The signer's answer, parsed by the given schema. Throws `SignerRefusal` if the signer refuses, `SignerUnavailable` if
 * it does not answer.
 */
export async function askSigner<Shape extends z.ZodType>(
  connection: SignerConnection,
  path: string,
  body: unknown,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const { url, token, timeoutMs } = connection
  const response = await call(`${url.replace(/\/+$/, '')}${path}`, token, timeoutMs, JSON.stringify(body))
  if (response.status !== 200) throw errorOf(response)
  const parsed = shape.safeParse(response.body)
  if (!parsed.success) throw new SignerUnavailable('the answer of the signer is malformed')
  return parsed.data
}

interface Response {
  status: number
  body: unknown
}

function errorOf({ status, body }: Response): Error {
  const told = ErrorAnswer.safeParse(body)
  const reason = told.success ? told.data.reason : 'no reason given'
  if (status === FORBIDDEN && told.success) return new SignerRefusal(reason)
  return new SignerUnavailable(`the signer answers ${status}: ${reason}`)
}

async function call(url: string, token: string, timeoutMs: number, body: string): Promise<Response> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return { status: response.status, body: parseJson(text) }
  } catch {
    // The signer may have signed anyway. Asking again for the same attempt is safe: its journal returns the same bytes.
    throw new SignerUnavailable('the signer cannot be reached, or did not answer in time')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
