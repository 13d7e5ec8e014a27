/**
 * The identity at the command line: the holder of an operator's key. Reads need none, since database access already
 * allows them; every change is signed by its author.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Queries } from '../../store/db/database.ts'
import { consoleOperator, isAppActor } from '../../store/operators/actor.ts'
import type { AuditRow } from '../../store/operators/audit.ts'
import { listOperators, SANDBOX_OPERATOR } from '../../store/operators/operators.ts'
import { UsageError } from './command-context.ts'
import { type Role, roleNamed } from './roles.ts'

export interface Identity {
  actor: string
  role: Role
  sign?: (text: string) => string
}

const VISITOR: Identity = { actor: 'nobody', role: 'viewer' }

/** The operator whose key is in `OPERATOR_KEY_FILE`; in a sandbox's database no key is needed. */
export async function identify(queries: Queries, keyFile: string | undefined): Promise<Identity> {
  const operators = (await listOperators(queries)).filter(({ disabled_at }) => disabled_at === null)
  if (!keyFile) {
    const sandbox = operators.find(({ name, public_key }) => name === SANDBOX_OPERATOR && public_key === null)
    return sandbox ? { actor: SANDBOX_OPERATOR, role: 'admin' } : VISITOR
  }
  const key = privateKeyIn(keyFile)
  const found = operators.find(({ public_key }) => public_key === publicTextOf(key))
  const role = found && roleNamed(found.role)
  if (!found || !role)
    throw new UsageError(`OPERATOR_KEY_FILE: this is the key of no operator; "operator list" names them`)
  return { actor: found.name, role, sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
}

/** Before there is any operator, the first to add themself becomes admin: database access would allow that anyway. */
export function firstOperator(keyFile: string, name: string): Identity {
  const key = privateKeyIn(keyFile)
  return { actor: name, role: 'admin', sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
}

/** The person behind an actor: a key at the command line and a password at the console are one person. */
export function personOf(actor: string): string {
  return actor.replace(/^console /, '')
}

/**
 * The public part of a PEM key as one word: from a file, or given directly. A file may hold the private key: the first
 * operator names their own. A private key that is given directly has left its machine, and is refused.
 */
export function publicTextIn(file: string): string {
  return publicTextOf(publicKeyIn(file))
}

/** The public part of a key file, in PEM. */
export function publicPemIn(file: string): string {
  return publicKeyIn(file).export({ format: 'pem', type: 'spki' }).toString()
}

function publicKeyIn(file: string): KeyObject {
  const isGiven = file.startsWith('-----BEGIN ')
  if (isGiven && file.includes('PRIVATE KEY'))
    throw new UsageError('this is a private key: give its public half (openssl pkey -in FILE -pubout), and replace it')
  const text = isGiven ? file : readText(file)
  try {
    const key = text.includes('PRIVATE KEY') ? createPublicKey(createPrivateKey(text)) : createPublicKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The parser's error is not passed on: it may quote the file's content.
  }
  const shown = isGiven ? 'this' : file
  throw new UsageError(`${shown} is no ed25519 key in PEM (openssl genpkey -algorithm ed25519)`)
}

/** A short form of a public key, for comparing by telephone. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16)
}

/** Whether this public key signed this text. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

/**
 * Verifies signatures by the keys that the log itself recorded, oldest entry first: changing the operator table does
 * not change those.
 */
export function signatureJudge(): (row: AuditRow, text: string) => boolean {
  const keys = new Map<string, string>()
  const isGood = ({ actor, signature }: AuditRow, text: string): boolean => {
    const publicKey = keys.get(actor)
    // Apps act with API keys and console operators with passwords, so their entries carry no signature. Nor do a sandbox's.
    if (!signature) {
      const operator = consoleOperator(actor)
      const hasNoKey = isAppActor(actor) || (operator !== null && keys.has(operator))
      return !publicKey && (keys.size === 0 || actor === SANDBOX_OPERATOR || hasNoKey)
    }
    return publicKey !== undefined && isSignedBy(publicKey, text, signature)
  }
  return (row, text) => {
    // The first operator adds themself and signs with the key being added.
    const { name, publicKey } = row.data
    if (row.action === 'operator added' && typeof name === 'string' && typeof publicKey === 'string') {
      // An entry that adds a known operator again, or that an app made, would give that name another key.
      if (keys.has(name) || isAppActor(row.actor)) return false
      const isFirst = keys.size === 0
      if (isFirst) keys.set(name, publicKey)
      const good = isGood(row, text)
      if (!isFirst && good) keys.set(name, publicKey)
      return good
    }
    return isGood(row, text)
  }
}

function privateKeyIn(file: string): KeyObject {
  const text = readText(file)
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The parser's error is not passed on: it may quote the file's content.
  }
  throw new UsageError('OPERATOR_KEY_FILE: no ed25519 private key in PEM (openssl genpkey -algorithm ed25519)')
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`there is no file ${file} that can be read`)
  }
}

function publicTextOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key
  return half.export({ format: 'der', type: 'spki' }).toString('base64')
}
