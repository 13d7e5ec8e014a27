/**
 * A KMS endpoint that answers with nonsense, with another key's signature, or with a key of another curve. Nothing that it says
 * becomes a signature, and an honest answer afterwards works.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type KeyRef, RetryLater, type Signer } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../../server/src/config.ts'
import { openSigner } from '../../../server/src/keys/backends/signer.ts'

const KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
const SECRET_ACCESS_KEY = 'a-secret-of-the-tests-that-no-error-may-show'
const TEXT = 'a payout'
const digest = createHash('sha256').update(TEXT).digest()
const intent = { quote: '' }

const treasury = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
const thief = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
const spkiOf = (pair: { publicKey: KeyObject }) =>
  pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
/** A signature of the SHA-256 digest of this text. */
const signatureOf = (pair: typeof treasury, text: string) =>
  sign('sha256', Buffer.from(text), pair.privateKey).toString('base64')
const honestKey = JSON.stringify({ PublicKey: spkiOf(treasury), KeySpec: 'ECC_SECG_P256K1' })
const honestSignature = JSON.stringify({ Signature: signatureOf(treasury, TEXT) })

/** The endpoint's next answers: status and body. */
let keyAnswer: [number, string]
let signAnswer: [number, string]
const kms = createServer((request, response) => {
  const [status, body] = String(request.headers['x-amz-target']).endsWith('Sign') ? signAnswer : keyAnswer
  request.resume().on('end', () => response.writeHead(status).end(body))
})
beforeAll(() => new Promise<void>((resolve) => kms.listen(0, '127.0.0.1', () => resolve())))
afterAll(() => void kms.close())

async function open(more: Record<string, string> = {}): Promise<Signer> {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'causeway-kms-')), 'keys.json')
  writeFileSync(file, JSON.stringify({ [KEY.path]: 'alias/treasury' }))
  return openSigner(
    parseConfig({
      ...{ DATABASE_URL: 'postgres://localhost/x', SIGNER: 'kms', KMS_REGION: 'eu-central-1', KMS_KEYS_FILE: file },
      KMS_ENDPOINT: `http://127.0.0.1:${(kms.address() as AddressInfo).port}/`,
      ...{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY, ...more },
    }),
  )
}

/** The error of the call. A signature fails the test. */
async function errorOf(work: Promise<unknown>): Promise<Error> {
  const found = await work.catch((error: unknown) => error)
  expect(found).toBeInstanceOf(Error)
  expect(String(found)).not.toContain(SECRET_ACCESS_KEY)
  return found as Error
}

const der = (...parts: number[][]) => {
  const numbers = parts.flatMap((bytes) => [2, bytes.length, ...bytes])
  return Buffer.from([0x30, numbers.length, ...numbers]).toString('base64')
}
const NONSENSE: [string, number, string][] = [
  ['nothing', 200, ''],
  ['HTML', 200, '<html>'],
  ['null', 200, 'null'],
  ['a list', 200, '[]'],
  ['no field', 200, '{}'],
  ['a number', 200, '{"Signature":5,"PublicKey":5}'],
  ['no base64', 200, '{"Signature":"!!","PublicKey":"!!"}'],
  ['an empty text', 200, '{"Signature":"","PublicKey":""}'],
  ['random bytes', 200, `{"Signature":"${'QUJD'.repeat(24)}","PublicKey":"${'QUJD'.repeat(24)}"}`],
  ['a megabyte', 200, `{"Signature":"${'A'.repeat(1_000_000)}","PublicKey":"${'A'.repeat(1_000_000)}"}`],
  ['an error without a form', 500, 'oops'],
  ['a refusal', 400, '{"__type":"com.amazonaws.kms#AccessDeniedException","Message":"no"}'],
  ['a redirect', 302, ''],
]

test.each(NONSENSE)('%s instead of a public key is retried, and the next answer is read', async (_, status, body) => {
  const signer = await open()
  keyAnswer = [status, body]
  expect(await errorOf(signer.publicKey(KEY))).toBeInstanceOf(RetryLater)
  keyAnswer = [200, honestKey]
  expect((await signer.publicKey(KEY)).length).toBe(33)
})

test.each(NONSENSE)('%s instead of a signature is retried, and the next answer is read', async (_, status, body) => {
  keyAnswer = [200, honestKey]
  signAnswer = [status, body]
  const signer = await open()
  expect(await errorOf(signer.sign(KEY, digest, intent))).toBeInstanceOf(RetryLater)
  signAnswer = [200, honestSignature]
  expect((await signer.sign(KEY, digest, intent)).length).toBe(65)
})

test.each([
  ['of another key', signatureOf(thief, TEXT)],
  ['of another digest', signatureOf(treasury, 'another')],
  ['with r and s of zero', der([0], [0])],
  ['with r and s of one', der([1], [1])],
  ['with a negative r', der([0x80], [1])],
  ['above the order', der([0, ...Array(32).fill(0xff)], [1])],
  [
    'with bytes behind it',
    Buffer.concat([Buffer.from(signatureOf(treasury, TEXT), 'base64'), Buffer.from([0])]).toString('base64'),
  ],
])('a signature %s is refused', async (_, Signature) => {
  keyAnswer = [200, honestKey]
  signAnswer = [200, JSON.stringify({ Signature })]
  await errorOf((await open()).sign(KEY, digest, intent))
})

test('a key of another curve is refused, whatever KMS calls it', async () => {
  const nist = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  keyAnswer = [200, JSON.stringify({ PublicKey: spkiOf(nist), KeySpec: 'ECC_SECG_P256K1' })]
  await errorOf((await open()).publicKey(KEY))
  keyAnswer = [200, JSON.stringify({ PublicKey: spkiOf(generateKeyPairSync('rsa', { modulusLength: 2048 })) })]
  await errorOf((await open()).publicKey(KEY))
})

test('a key that changes under a running process signs nothing', async () => {
  keyAnswer = [200, honestKey]
  const signer = await open()
  const before = await signer.publicKey(KEY)
  keyAnswer = [200, JSON.stringify({ PublicKey: spkiOf(thief) })]
  signAnswer = [200, JSON.stringify({ Signature: signatureOf(thief, TEXT) })]
  await errorOf(signer.sign(KEY, digest, intent))
  expect(await signer.publicKey(KEY)).toEqual(before)
})

test('a refusal that repeats the request, as AWS does, brings no session token into an error', async () => {
  const token = 'a-session-token-that-no-error-may-show'
  const canonical = `'POST\n/\n\nhost:kms.eu-central-1.amazonaws.com\nx-amz-security-token:${token}\n'`
  const message = `The signature does not match.\n\nThe Canonical String for this request should have been\n${canonical}`
  keyAnswer = [400, JSON.stringify({ __type: 'InvalidSignatureException', message })]
  const error = await errorOf((await open({ AWS_SESSION_TOKEN: token })).publicKey(KEY))
  expect(error.message).toBe('KMS answers 400: InvalidSignatureException The signature does not match.')
})
