/**
 * Signs by asking a signer process over HTTP. It is told what the signature is for and may refuse; what it answers is
 * checked against the digest and its public key before anything is built on it.
 */
import { Bug, type KeyRef, type Signer } from '@causeway/core'
import type { z } from 'zod'
import { isPublicKey, isSignature } from '../curves/signature.ts'
import { ErrorAnswer, PATHS, PublicKeyAnswer, SignAnswer, writeIntent, writeOrder } from './protocol.ts'
import { refusalOf, SignerUnavailable } from './refusal.ts'

interface RemoteOptions {
  url: string
  token: string
  timeoutMs: number
}

export function remoteSigner(options: RemoteOptions): Signer {
  // Asked once a key: what an address was derived from must not change under us.
  const known = new Map<string, Promise<Uint8Array>>()
  const publicKey = (key: KeyRef): Promise<Uint8Array> => {
    const name = `${key.curve} ${key.path}`
    const asked = known.get(name) ?? askPublicKey(options, key)
    known.set(name, asked)
    asked.catch(() => known.delete(name))
    return asked
  }
  return {
    publicKey,
    async sign(key, digest, intent) {
      const expected = await publicKey(key)
      const body = { key, digest: hex(digest), intent: writeIntent(intent) }
      const { signature } = read(SignAnswer, await ask(options, PATHS.sign, body))
      const bytes = fromHex(signature)
      if (!isSignature(key.curve, bytes, digest, expected)) {
        throw new Bug('the signer answers with what is no signature of its key', { path: key.path })
      }
      return bytes
    },
    async review(network, order) {
      await ask(options, PATHS.review, { network, order: writeOrder(order) })
    },
  }
}

async function askPublicKey(options: RemoteOptions, key: KeyRef): Promise<Uint8Array> {
  const answer = read(PublicKeyAnswer, await ask(options, PATHS.publicKey, { key }))
  const bytes = fromHex(answer.public_key)
  if (!isPublicKey(key.curve, bytes)) throw new Bug('the signer answers with what is no public key', { path: key.path })
  return bytes
}

const FORBIDDEN = 403

async function ask({ url, token, timeoutMs }: RemoteOptions, path: string, body: unknown): Promise<unknown> {
  const response = await call(`${url.replace(/\/+$/, '')}${path}`, token, timeoutMs, JSON.stringify(body))
  if (response.status === 200) return response.body
  const told = ErrorAnswer.safeParse(response.body)
  const reason = told.success ? told.data.reason : 'no reason given'
  if (response.status === FORBIDDEN && told.success) throw refusalOf(told.data.error, reason)
  throw new SignerUnavailable(`the signer answers ${response.status}: ${reason}`)
}

async function call(url: string, token: string, timeoutMs: number, body: string) {
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
    // It may have signed all the same: the same order in the same slot is asked again, and nothing else.
    throw new SignerUnavailable('the signer cannot be reached, or did not answer in time')
  }
}

function read<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(body)
  if (!parsed.success) throw new SignerUnavailable('the signer answers in a form that is not understood')
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}
