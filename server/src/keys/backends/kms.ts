/**
 * Signs with keys that never leave AWS KMS (ECC_SECG_P256K1). KMS returns a DER signature without a recovery bit. This
 * file converts it to low s with a recovery bit and checks it against the public key.
 */
import { createPublicKey } from 'node:crypto'
import { Bug, type KeyRef, RetryLater, type Signer } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { z } from 'zod'
import type { SignerSettings } from '../../config/signer-variables.ts'
import { ConfigError } from '../../config.ts'
import { isPublicKey, isSignature } from '../curves/signature.ts'
import { type CredentialSource, credentialsFor } from './credentials.ts'
import { readJson } from './files.ts'
import { signedHeaders } from './sigv4.ts'

const KeysFile = z.record(
  z.string().regex(/^m(\/\d+'?)+$/, "must be a path such as m/44'/60'/0'/0/0"),
  z.string().min(1),
)
const KEY_SPEC = 'ECC_SECG_P256K1'

interface Kms {
  endpoint: URL
  region: string
  timeoutMs: number
  credentials: CredentialSource
  now: () => Date
}

export function openKms(settings: SignerSettings, now: () => Date = () => new Date()): Signer {
  const parsed = KeysFile.safeParse(readJson(settings.kmsKeysFile, 'KMS_KEYS_FILE'))
  if (!parsed.success) throw new ConfigError('KMS_KEYS_FILE: must be an object of paths and ids of keys')
  const region = settings.kmsRegion ?? ''
  const kms: Kms = {
    endpoint: new URL(settings.kmsEndpoint ?? `https://kms.${region}.amazonaws.com/`),
    region,
    timeoutMs: settings.signerTimeoutMs,
    credentials: credentialsFor(settings, now),
    now,
  }
  return kmsSigner(kms, new Map(Object.entries(parsed.data)))
}

function kmsSigner(kms: Kms, keys: ReadonlyMap<string, string>): Signer {
  const known = new Map<string, Promise<Uint8Array>>()
  const publicKey = (id: string): Promise<Uint8Array> => {
    const asked = known.get(id) ?? readPublicKey(kms, id)
    known.set(id, asked)
    asked.catch(() => known.delete(id))
    return asked
  }
  return {
    publicKey: async (key) => publicKey(idOf(keys, key)),
    async sign(key, digest) {
      const id = idOf(keys, key)
      const expected = await publicKey(id)
      const body = {
        KeyId: id,
        Message: Buffer.from(digest).toString('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      }
      const { Signature } = read(SignAnswer, await call(kms, 'Sign', body))
      return recoverable(Buffer.from(Signature, 'base64'), digest, expected)
    },
  }
}

function idOf(keys: ReadonlyMap<string, string>, { curve, path }: KeyRef): string {
  if (curve !== 'secp256k1') {
    throw new ConfigError(
      `SIGNER=kms signs with secp256k1 keys only, and ${path} is ${curve === 'ed25519' ? 'an' : 'a'} ${curve} key: leave out the networks that need it; for the key of quotes set QUOTE_KEY_FILE`,
    )
  }
  const id = keys.get(path)
  if (id === undefined) throw new ConfigError(`KMS_KEYS_FILE names no key for the path ${path}`)
  return id
}

const PublicKeyAnswer = z.object({ PublicKey: z.base64(), KeySpec: z.string().optional() })
const SignAnswer = z.object({ Signature: z.base64() })
const ErrorAnswer = z.object({ __type: z.string(), message: z.string().optional(), Message: z.string().optional() })

async function readPublicKey(kms: Kms, id: string): Promise<Uint8Array> {
  const { PublicKey, KeySpec } = read(PublicKeyAnswer, await call(kms, 'GetPublicKey', { KeyId: id }))
  const der = { key: Buffer.from(PublicKey, 'base64'), format: 'der', type: 'spki' } as const
  const key = understood(() => createPublicKey(der))
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' })
  if (crv !== 'secp256k1') throw new ConfigError(`the key ${id} is a ${KeySpec ?? crv}: only ${KEY_SPEC} keys can sign`)
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  const point = Uint8Array.from([isOdd ? 3 : 2, ...Buffer.from(x, 'base64url')])
  if (!isPublicKey('secp256k1', point)) throw new Bug('KMS answers with what is no public key', { id })
  return point
}

/** Converts a DER signature to r, low s and the recovery bit that yields this public key. */
function recoverable(der: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const { r, s } = understood(() => secp256k1.Signature.fromBytes(der, 'der'))
  const order = secp256k1.Point.Fn.ORDER
  const compact = new secp256k1.Signature(r, s > order / 2n ? order - s : s).toBytes('compact')
  for (const bit of [0, 1]) {
    const signature = Uint8Array.from([...compact, bit])
    if (isSignature('secp256k1', signature, digest, publicKey)) return signature
  }
  throw new Bug('KMS answers with what is no signature of its key')
}

async function call(kms: Kms, action: 'GetPublicKey' | 'Sign', body: unknown): Promise<unknown> {
  const text = JSON.stringify(body)
  const { endpoint: url, region, now } = kms
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` }
  const request = { method: 'POST', url, headers, body: text, region, service: 'kms', now: now() } as const
  const signed = signedHeaders(request, await kms.credentials())
  const { status, answer } = await post(url, signed, text, kms.timeoutMs)
  if (status === 200) return answer
  const told = ErrorAnswer.safeParse(answer)
  const {
    __type: type,
    message,
    Message,
  } = told.success ? told.data : { __type: 'no reason', message: '', Message: '' }
  // AWS repeats the headers of a request below the first line, the session token among them.
  const [reason = ''] = (message ?? Message ?? '').split('\n', 1)
  throw new RetryLater(`KMS answers ${status}: ${type.split('#').at(-1)} ${reason}`.trim())
}

async function post(url: URL, headers: Record<string, string>, body: string, timeoutMs: number) {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
    return { status: response.status, answer: parse(await response.text()) }
  } catch {
    throw new RetryLater('KMS cannot be reached, or did not answer in time')
  }
}

function read<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  return understood(() => shape.parse(answer))
}

/** Parses a part of an answer. A broken answer may be one of a proxy or of an outage, so it is retried. */
function understood<T>(parseIt: () => T): T {
  try {
    return parseIt()
  } catch {
    throw new RetryLater('KMS answers in a form that is not understood')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
