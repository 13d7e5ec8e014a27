import { createHash, createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { KeyRef, Signer } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { afterEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { isSignature } from '../curves/signature.ts'
import { openSigner } from './signer.ts'
import { signedHeaders } from './sigv4.ts'

const ACCESS = 'AKIDEXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const REGION = 'eu-central-1'
const KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
const intent = { quote: '' }
const digest = createHash('sha256').update('anything').digest()

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

describe('the request signature matches the published AWS test suite', () => {
  const credentials = { accessKeyId: ACCESS, secretAccessKey: SECRET, sessionToken: null }
  const base = {
    url: new URL('https://example.amazonaws.com/'),
    region: 'us-east-1',
    service: 'service',
    now: new Date('2015-08-30T12:36:00Z'),
  }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  it.each([
    [
      'get-vanilla',
      'GET',
      {},
      '',
      'host;x-amz-date',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'post-vanilla',
      'POST',
      {},
      '',
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      form,
      'Param1=value1',
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ] as const)('%s', (_name, method, headers, body, names, signature) => {
    expect(signedHeaders({ ...base, method, headers, body }, credentials).authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    )
  })
})

/** Recomputes the request's signature, independently of the code under test. */
function isAuthentic(request: IncomingMessage, body: string, secret: string): boolean {
  const match = /Credential=([^/]+)\/(\d+)\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
    request.headers.authorization ?? '',
  )
  if (!match) return false
  const [, id, day = '', region = '', names = '', signature] = match
  const list = names.split(';')
  const wanted = ['host', 'x-amz-date', 'x-amz-target', 'content-type']
  if (id !== ACCESS || region !== REGION || wanted.some((name) => !list.includes(name))) return false
  if (request.headers['x-amz-security-token'] && !list.includes('x-amz-security-token')) return false
  let canonical = `${request.method}\n${request.url}\n\n`
  for (const name of list) canonical += `${name}:${request.headers[name]}\n`
  canonical += `\n${names}\n${createHash('sha256').update(body).digest('hex')}`
  const scope = `${day}/${region}/kms/aws4_request`
  const hashed = createHash('sha256').update(canonical).digest('hex')
  const text = `AWS4-HMAC-SHA256\n${request.headers['x-amz-date']}\n${scope}\n${hashed}`
  const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  const key = mac(mac(mac(mac(`AWS4${secret}`, day), region), 'kms'), 'aws4_request')
  return mac(key, text).toString('hex') === signature
}

interface Fake {
  url: string
  requests: string[]
  tokens: Set<unknown>
}

/** A fake KMS that holds real keys, signs with a random k, and rejects requests with a wrong signature. */
async function fakeKms(keys: Record<string, KeyObject>, lie = false): Promise<Fake> {
  const fake: Fake = { url: '', requests: [], tokens: new Set() }
  const answer = (request: IncomingMessage, body: string): [number, unknown] => {
    if (!isAuthentic(request, body, SECRET))
      return [400, { __type: 'InvalidSignatureException', message: 'does not match' }]
    const asked = JSON.parse(body)
    const action = String(request.headers['x-amz-target'])
    fake.requests.push(action)
    fake.tokens.add(request.headers['x-amz-security-token'])
    const key = keys[asked.KeyId]
    if (!key)
      return [400, { __type: 'com.amazonaws.kms#NotFoundException', message: `Key ${asked.KeyId} does not exist` }]
    const spki = () => generatedPublic(key).export({ format: 'der', type: 'spki' }).toString('base64')
    if (action === 'TrentService.GetPublicKey') return [200, { PublicKey: spki(), KeySpec: 'ECC_SECG_P256K1' }]
    if (asked.MessageType !== 'DIGEST' || asked.SigningAlgorithm !== 'ECDSA_SHA_256') {
      return [400, { __type: 'ValidationException', message: 'wrong parameters' }]
    }
    const secret = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
    const message = lie ? createHash('sha256').update('a lie').digest() : Buffer.from(asked.Message, 'base64')
    const options = { prehash: false, lowS: false, extraEntropy: true, format: 'der' } as const
    return [200, { Signature: Buffer.from(secp256k1.sign(message, secret, options)).toString('base64') }]
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [status, content] = answer(request, body)
    response.writeHead(status).end(JSON.stringify(content))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => void server.close())
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return fake
}

const publicKeys = new Map<KeyObject, KeyObject>()
function generate(namedCurve = 'secp256k1'): KeyObject {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
  publicKeys.set(privateKey, publicKey)
  return privateKey
}
function generatedPublic(key: KeyObject): KeyObject {
  return publicKeys.get(key) ?? key
}

async function openKms(
  url: string,
  more: Record<string, string> = {},
  keys: unknown = { [KEY.path]: 'alias/treasury' },
) {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'causeway-kms-')), 'keys.json')
  writeFileSync(file, JSON.stringify(keys))
  const env = {
    DATABASE_URL: 'postgres://localhost/x',
    SIGNER: 'kms',
    KMS_REGION: REGION,
    KMS_KEYS_FILE: file,
    KMS_ENDPOINT: url,
  }
  const signer: Signer = await openSigner(
    parseConfig({ ...env, AWS_ACCESS_KEY_ID: ACCESS, AWS_SECRET_ACCESS_KEY: SECRET, ...more }),
  )
  return signer
}

describe('the KMS signer', () => {
  it('returns signatures with low s and the right recovery bit, for any k', async () => {
    const kms = await fakeKms({ 'alias/treasury': generate() })
    const signer = await openKms(kms.url)
    const publicKey = await signer.publicKey(KEY)
    const seen = new Set<string>()
    // A high s, and each recovery bit, occurs in about half of the rounds.
    for (let round = 0; round < 24; round++) {
      const signature = await signer.sign(KEY, digest, intent)
      expect(isSignature('secp256k1', signature, digest, publicKey)).toBe(true)
      seen.add(Buffer.from(signature).toString('hex'))
    }
    expect(seen.size).toBe(24)
    expect(kms.requests.filter((action) => action === 'TrentService.GetPublicKey')).toHaveLength(1)
  })

  it('pays as an EVM wallet: the family accepts its address and signatures', async () => {
    const { loadFamily } = await import('../../catalogue/chains.ts')
    const { draftAt, makeFolder, payment, quiet, testCatalogue } = await import('../testing.ts')
    const signer = await openKms((await fakeKms({ 'alias/treasury': generate() })).url)
    const { network, eth } = await testCatalogue(makeFolder().networks)
    const adapter = await (await loadFamily('evm')).open({ network, signer, log: quiet })
    const order = { ...payment(eth, 1n), account: adapter.treasury }
    expect((await adapter.sign(order, ['0'], draftAt(1))).hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('rejects a signature of another digest', async () => {
    const signer = await openKms((await fakeKms({ 'alias/treasury': generate() }, true)).url)
    await expect(signer.sign(KEY, digest, intent)).rejects.toThrow('no signature of its key')
  })

  it('reports clearly what KMS refuses, and what it cannot do', async () => {
    const kms = await fakeKms({ 'alias/treasury': generate(), nist: generate('prime256v1') })
    const wrong = await openKms(kms.url, { AWS_SECRET_ACCESS_KEY: 'wrong' })
    await expect(wrong.publicKey(KEY)).rejects.toMatchObject({
      name: 'RetryLater',
      message: 'KMS answers 400: InvalidSignatureException does not match',
    })
    const missing = await openKms(kms.url, {}, { [KEY.path]: 'nobody' })
    await expect(missing.publicKey(KEY)).rejects.toThrow('NotFoundException Key nobody does not exist')
    const other = await openKms(kms.url, {}, { [KEY.path]: 'nist' })
    await expect(other.publicKey(KEY)).rejects.toThrow('only ECC_SECG_P256K1 keys can sign')
    const signer = await openKms(kms.url)
    await expect(signer.publicKey({ curve: 'ed25519', path: "m/44'/501'/0'/0'" })).rejects.toMatchObject({
      name: 'ConfigError',
    })
    await expect(signer.publicKey({ ...KEY, path: "m/84'/0'/0'/0/0" })).rejects.toThrow('names no key')
    await expect(openKms(kms.url, {}, ['x'])).rejects.toThrow('KMS_KEYS_FILE')
    const away = await openKms('http://127.0.0.1:9/')
    await expect(away.publicKey(KEY)).rejects.toThrow('KMS cannot be reached')
  })

  it("uses the credentials of the machine's role, and renews them before they expire", async () => {
    const kms = await fakeKms({ 'alias/treasury': generate() })
    let session = 0
    const metadata = createServer((request, response) => {
      request.resume()
      if (request.method === 'PUT' && request.url === '/latest/api/token') return response.end('door')
      if (request.headers['x-aws-ec2-metadata-token'] !== 'door') return response.writeHead(401).end()
      if (request.url?.endsWith('/security-credentials/')) return response.end('signer-role')
      session++
      const minutes = session === 1 ? 1 : 60
      const Expiration = new Date(Date.now() + minutes * 60_000).toISOString()
      return response.end(
        JSON.stringify({ AccessKeyId: ACCESS, SecretAccessKey: SECRET, Token: `t${session}`, Expiration }),
      )
    })
    await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => void metadata.close())
    const url = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`
    const signer = await openKms(kms.url, { KMS_CREDENTIALS: 'instance', KMS_METADATA_URL: url })
    for (let round = 0; round < 3; round++) await signer.sign(KEY, digest, intent)
    expect([...kms.tokens]).toEqual(['t1', 't2'])
  })

  it('requires its variables', () => {
    const env = { DATABASE_URL: 'postgres://localhost/x', SIGNER: 'kms' }
    expect(() => parseConfig(env)).toThrow(/KMS_REGION.*KMS_KEYS_FILE.*AWS_ACCESS_KEY_ID.*AWS_SECRET_ACCESS_KEY/s)
    expect(() => parseConfig({ ...env, KMS_CREDENTIALS: 'instance' })).not.toThrow(/AWS_/)
  })
})
