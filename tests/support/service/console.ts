/** The console's calls as a browser makes them, and operators who log in. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type FastifyInstance, fastify, type InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { codeAt } from '../../../server/src/console/credentials.ts'
import { consoleRoutes } from '../../../server/src/console/routes.ts'
import type { Services } from '../../../server/src/services.ts'
import { admin } from './accounts.ts'

export const PASSWORD = 'a long enough password'
/** Codes are valid once: each login waits for the next. */
export const STEP_MS = 30_000
export const HERE = { host: 'localhost', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

export interface Seat {
  cookie: string
  token: string
}

export interface TestConsole {
  server: FastifyInstance
  /** Adds an operator, who accepts the invitation. */
  person(name: string, role: string): Promise<void>
  /** The code that their authenticator shows now. */
  codeOf(name: string): string
  setSecret(name: string, secret: string): void
  /** The signature of their key under this text. */
  signedBy(name: string, text: string): string
  /** The request that accepts the opened invitation. */
  acceptance(name: string, invite: string, opened: { code_secret: string; sign: string | null }): InjectOptions
  seat(name: string): Promise<Seat>
  told(request: InjectOptions): Promise<ReturnType<typeof JSON.parse>>
  refused(request: InjectOptions): Promise<[number, string]>
}

export function post(url: string, payload: object, seat?: Seat, headers: object = {}): InjectOptions {
  const own = seat ? { cookie: seat.cookie, 'x-operator-token': seat.token } : {}
  return { method: 'POST', url: `/operator/api${url}`, payload, headers: { ...HERE, ...own, ...headers } }
}

export const get = (url: string, seat?: Seat): InjectOptions => ({
  url: `/operator/api${url}`,
  headers: { host: 'localhost', ...(seat ? { cookie: seat.cookie } : {}) },
})

/** In base64, as openssl prints it. */
export function signatureOf(text: string, key: KeyObject | undefined): string {
  if (!key) throw new Error('nobody has a key of that name')
  return sign(null, Buffer.from(text), key).toString('base64')
}

export function openConsole(
  services: Services,
  passTime: (ms: number) => void,
  server: FastifyInstance = fastify(),
): TestConsole {
  consoleRoutes(server, { ...services, isSandbox: false })
  const secrets = new Map<string, string>()
  const keys = new Map<string, KeyObject>()
  const told: TestConsole['told'] = async (request) => {
    const answer = await server.inject(request)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().data
  }
  const codeOf = (name: string) =>
    codeAt(secrets.get(name) ?? '', BigInt(Math.floor(services.now().getTime() / STEP_MS)))
  const signedBy: TestConsole['signedBy'] = (name, text) => signatureOf(text, keys.get(name))
  const acceptance: TestConsole['acceptance'] = (name, invite, { code_secret: secret, sign: text }) => {
    secrets.set(name, secret)
    const signature = text === null ? '' : signedBy(name, text)
    return post('/invite/accept', { invite, password: PASSWORD, code: codeOf(name), signature })
  }
  return {
    server,
    told,
    codeOf,
    signedBy,
    acceptance,
    setSecret: (name, secret) => void secrets.set(name, secret),
    async person(name, role) {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      keys.set(name, privateKey)
      const key = publicKey.export({ format: 'pem', type: 'spki' }).toString()
      // The first operator must be an admin; the role is changed afterwards.
      await admin(services, 'operator', 'add', name, '--role', 'admin', `--key=${key}`)
      await admin(services, 'operator', 'role', name, '--role', role)
      const invite = /#([\w-]+)/.exec(await admin(services, 'operator', 'invite', name))?.[1] ?? ''
      await told(acceptance(name, invite, await told(post('/invite', { invite }))))
      passTime(STEP_MS)
    },
    async seat(name) {
      passTime(STEP_MS)
      const answer = await server.inject(post('/login', { name, password: PASSWORD, code: codeOf(name) }))
      expect(answer.statusCode, answer.body).toBe(200)
      const cookie = String(answer.headers['set-cookie'])
      expect(cookie).toMatch(/^operator=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/operator$/)
      return { cookie: cookie.split(';')[0] ?? '', token: answer.json().data.session.token }
    },
    async refused(request) {
      const answer = await server.inject(request)
      return [answer.statusCode, answer.json().error?.code]
    },
  }
}
