/**
 * Console logins. A session is a random secret in a cookie, stored as a hash; it ends after half an hour without
 * activity and after twelve hours in any case. After too many failures a client must wait, whatever name it gives.
 */
import { isSignedBy } from '../admin/context/identity.ts'
import { type Role, roleNamed } from '../admin/context/roles.ts'
import type { Queries } from '../store/db/database.ts'
import { consoleActor } from '../store/operators/actor.ts'
import { insertAudit } from '../store/operators/audit.ts'
import {
  acceptInvite,
  countFailures,
  endSession,
  type Failures,
  findInvited,
  findOperator,
  forgetLogins,
  insertFailure,
  insertSession,
  isKnownAddress,
  lockLogins,
  proveSession,
  rememberAddress,
  setInviteSecret,
  takeCodeStep,
  touchSession,
} from '../store/operators/console.ts'
import { type OperatorRow, SANDBOX_OPERATOR } from '../store/operators/operators.ts'
import { type Console, Refused } from './console.ts'
import {
  codeAddress,
  hashOfWord,
  hashPassword,
  isPassword,
  newCodeSecret,
  newSecretWord,
  stepOf,
} from './credentials.ts'

const IDLE_MS = 30 * 60_000
const WHOLE_MS = 12 * 3_600_000
/** A loosening command needs a password given this recently. */
const FRESH_MS = 5 * 60_000
/** Valid names, as in `operator add`. */
const NAME = /^[a-z][a-z0-9._-]{0,62}$/
const WINDOW_MS = 15 * 60_000
/**
 * Attempts per window: under one name from one address; under the name from all addresses (many, so that others cannot
 * easily lock an operator out); from the address. For IPv6 also under one name from a /48, and from the /48.
 */
const TRIES = { pair: 5, name: 50, address: 20, sitePair: 10, site: 40 }
/** How long an address counts as the operator's own after a login: failures elsewhere do not lock it out. */
const KNOWN_MS = 30 * 24 * 3_600_000
const LEAST_PASSWORD = 12
/** Attempts that wait in a queue, in total and per address, so that one address leaves room for others. */
const MOST_WAITING = 40
const MOST_OF_ONE = 5

/** The sandbox shows this password to everyone; it ends with the sandbox. */
export const SANDBOX_PASSWORD = 'sandbox'

export interface Credentials {
  name: string
  password: string
  code: string
  /** The client's address; clients with many addresses (an IPv6 network) count as one. */
  address: string
}

export interface Session {
  hash: string
  name: string
  role: Role
  token: string
  /** Until when the password counts as recently given. */
  freshUntil: Date
}

/** Logs in. Returns the secret for the cookie. */
export async function logIn(house: Console, given: Credentials): Promise<string> {
  const { database, now } = house
  const operator = await proven(house, given)
  const word = newSecretWord()
  await database.transaction().execute(async (queries) => {
    await forgetLogins(queries, new Date(now().getTime() - WHOLE_MS))
    const session = { hash: hashOfWord(word), operator: operator.name, token: newSecretWord(), now: now() }
    await insertSession(queries, session)
    const before = new Date(now().getTime() - KNOWN_MS)
    await rememberAddress(queries, { name: operator.name, address: given.address, at: now(), before })
    await note(queries, 'logged in', operator.name, given.address)
  })
  return word
}

/** The session of a cookie; null if it has ended. Background requests of a page do not count as activity. */
export async function sessionOf(
  { database, now, isSandbox }: Console,
  word: string | undefined,
  { isSeen = true }: { isSeen?: boolean } = {},
): Promise<Session | null> {
  if (!word) return null
  const at = now().getTime()
  const hash = hashOfWord(word)
  const times = { now: isSeen ? now() : null, createdAfter: new Date(at - WHOLE_MS), seenAfter: new Date(at - IDLE_MS) }
  const found = await touchSession(database, hash, times)
  const role = found && roleNamed(found.operator.role)
  if (!found || !role || (found.operator.name === SANDBOX_OPERATOR && !isSandbox)) return null
  const { session, operator } = found
  const freshUntil = new Date(session.proven_at.getTime() + FRESH_MS)
  return { hash, name: operator.name, role, token: session.token, freshUntil }
}

/** Verifies password and code again, for a loosening command. */
export async function proveAgain(house: Console, session: Session, given: Omit<Credentials, 'name'>): Promise<void> {
  await proven(house, { ...given, name: session.name })
  await proveSession(house.database, session.hash, house.now())
}

export async function logOut({ database }: Console, session: Session): Promise<void> {
  await database.transaction().execute(async (queries) => {
    await endSession(queries, session.hash)
    await note(queries, 'logged out', session.name, null)
  })
}

/** The content of an opened invitation: a secret for the authenticator app, new each time. */
export async function openInvite({ database, now }: Console, word: string) {
  const invited = await findInvited(database, hashOfWord(word), now())
  if (!invited) throw new Refused(404, 'NOT_FOUND', 'This link is not good any more. Ask for another one.')
  const secret = newCodeSecret()
  if (!(await setInviteSecret(database, hashOfWord(word), secret)))
    throw new Refused(404, 'NOT_FOUND', 'This link was used already.')
  return {
    name: invited.name,
    role: invited.role,
    code_secret: secret,
    code_address: codeAddress(invited.name, secret),
    /** The text that their key signs; null if that key made the link. */
    sign: invited.invite_proven ? null : acceptanceOf(invited.name, hashOfWord(word), secret),
  }
}

/**
 * The text that the invited person's key signs. It is valid for this opening of this link only, and does not reveal the
 * secret that it covers.
 */
function acceptanceOf(name: string, hash: string, secret: string): string {
  return `Causeway: I am ${name} and set my password at the console, by ${hashOfWord(`${hash} ${secret}`)}.`
}

export async function acceptInvitation(
  { database, now }: Console,
  given: { word: string; password: string; code: string; signature: string; address: string },
): Promise<void> {
  if (given.password.length < LEAST_PASSWORD) throw wrong('password', `has at least ${LEAST_PASSWORD} characters`)
  const hash = hashOfWord(given.word)
  const invited = await findInvited(database, hash, now())
  if (!invited) throw new Refused(404, 'NOT_FOUND', 'This link is not good any more. Ask for another one.')
  const { invite_secret: secret } = invited
  const step = secret === null ? null : stepOf(given.code, secret, now())
  if (secret === null || step === null) throw wrong('code', 'is not the one that the app shows now')
  // The person who made the link has seen it, so only a signature by the invited person's key proves who accepts.
  const signature = invited.invite_proven ? null : given.signature.replaceAll(/\s/g, '')
  const text = acceptanceOf(invited.name, hash, secret)
  if (signature !== null && !(invited.public_key && isSignedBy(invited.public_key, text, signature)))
    throw wrong('signature', `is not one of ${invited.name}'s key under the text that this page shows`)
  const password = await hashPassword(given.password)
  await database.transaction().execute(async (queries) => {
    const accepted = await acceptInvite(queries, hash, { password, secret, step, now: now() })
    if (!accepted) throw new Refused(404, 'NOT_FOUND', 'This link was used already.')
    const data = { address: given.address, ...(signature === null ? {} : { text, signature }) }
    await insertAudit(queries, { actor: actorAt(accepted.name), action: 'password set', data })
  })
}

/**
 * Verifies name, password and code. Every error has the same message and takes the same time, so that it does not
 * reveal which names exist.
 */
async function proven(house: Console, { name: given, password, code, address }: Credentials): Promise<OperatorRow> {
  const { database, now } = house
  // No operator has this name; it is checked like any other.
  const name = NAME.test(given) ? given : 'nobody at all'
  // Checked first: a client that is locked out must not keep others waiting for the slow password hash.
  const waits = await blocked(database, name, address, now())
  if (waits) throw waits
  const queue = (await isKnown(database, name, address, now())) ? ofKnown : ofOthers
  const right = await judged(house, { name, password, address }, queue)
  // The failure is stored although the attempt is refused, so the transaction must not fail.
  const outcome = await database.transaction().execute(async (queries) => {
    await lockLogins(queries, name)
    const mustWait = await blocked(queries, name, address, now())
    if (mustWait) return mustWait
    const operator = await findOperator(queries, name)
    // The password may have been changed since it was verified.
    const isRight = right !== null && right === operator?.password
    const isIn = operator !== null && (await isAdmitted(house, queries, operator, isRight, { password, code }))
    if (operator && isIn) return operator
    await insertFailure(queries, { name: hashOfWord(name), address, site: siteOf(address), at: now() })
    // The typed name is not stored: it may have been the password.
    if (operator) await note(queries, 'login refused', operator.name, address)
    return new Refused(401, 'WRONG', 'Name, password or code is wrong.')
  })
  if (outcome instanceof Refused) throw outcome
  return outcome
}

async function blocked(queries: Queries, name: string, address: string, now: Date): Promise<Refused | null> {
  const since = new Date(now.getTime() - WINDOW_MS)
  const asked = { name: hashOfWord(name), address, site: siteOf(address), since }
  const failures = await countFailures(queries, asked)
  const own = [blockedUntil(failures.byPair, TRIES.pair), blockedUntil(failures.byAddress, TRIES.address)]
  const shared = [
    blockedUntil(failures.byName, TRIES.name),
    blockedUntil(failures.bySitePair, TRIES.sitePair),
    blockedUntil(failures.bySite, TRIES.site),
  ]
  const isOwn = latest(shared) !== null && (await isKnown(queries, name, address, now))
  const until = latest(isOwn ? own : [...own, ...shared])
  return until && tooMany(until, now)
}

/** Whether this person has logged in at this address lately: what others do under the name, or elsewhere, does not count here. */
function isKnown(queries: Queries, name: string, address: string, now: Date): Promise<boolean> {
  return isKnownAddress(queries, { name, address, since: new Date(now.getTime() - KNOWN_MS) })
}

/** The /48 of an IPv6 network as `addressOf` writes it; null for IPv4. */
function siteOf(address: string): string | null {
  return address.includes(':') ? `${address.split(':').slice(0, 3).join(':')}::/48` : null
}

/**
 * Password hashes are slow and computed one after the other in each queue: a flood of attempts must exhaust neither
 * connections nor the CPU. It fills the queue of those who are not known at their address, and no other.
 */
interface Queue {
  turn: Promise<unknown>
  /** The addresses of waiting clients. */
  waiting: string[]
}
const ofKnown: Queue = { turn: Promise.resolve(), waiting: [] }
const ofOthers: Queue = { turn: Promise.resolve(), waiting: [] }

/** The stored password hash, if it matches. */
async function judged(
  { database }: Console,
  { name, password, address }: Omit<Credentials, 'code'>,
  queue: Queue,
): Promise<string | null> {
  const { waiting } = queue
  const isFull = waiting.length >= MOST_WAITING || waiting.filter((other) => other === address).length >= MOST_OF_ONE
  if (isFull) throw new Refused(429, 'TOO_MANY', 'Too many try to log in at this moment. Again soon.')
  waiting.push(address)
  const found = findOperator(database, name).then((operator) => operator?.password ?? null)
  const answer = queue.turn.then(async () => ((await isPassword(password, await found)) ? found : null))
  queue.turn = answer.catch(() => undefined)
  return answer.finally(() => {
    waiting.splice(waiting.indexOf(address), 1)
  })
}

async function isAdmitted(
  { isSandbox, now }: Console,
  queries: Queries,
  operator: OperatorRow,
  isRight: boolean,
  given: { password: string; code: string },
): Promise<boolean> {
  // Only a sandbox has an operator without a key, and only it accepts a public password.
  if (operator.name === SANDBOX_OPERATOR) return isSandbox && given.password === SANDBOX_PASSWORD
  if (!isRight || operator.code_secret === null) return false
  const step = stepOf(given.code, operator.code_secret, now())
  return step !== null && (await takeCodeStep(queries, operator.name, step))
}

function blockedUntil({ count, oldest }: Failures, most: number): Date | null {
  return count >= most && oldest ? new Date(oldest.getTime() + WINDOW_MS) : null
}

function latest(dates: readonly (Date | null)[]): Date | null {
  const times = dates.flatMap((date) => date?.getTime() ?? [])
  return times.length === 0 ? null : new Date(Math.max(...times))
}

function tooMany(until: Date, now: Date): Refused {
  const minutes = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 60_000))
  return new Refused(429, 'TOO_MANY', `Too many tries. Again in ${minutes} min.`)
}

function wrong(field: string, problem: string): Refused {
  return new Refused(400, 'NOT_VALID', `The ${field} ${problem}.`)
}

/**
 * The actor of a console entry: the operator's name with a prefix, because the operator's key signs only on the command
 * line.
 */
export function actorAt(name: string): string {
  return name === SANDBOX_OPERATOR ? name : consoleActor(name)
}

async function note(queries: Queries, action: string, name: string, address: string | null): Promise<void> {
  await insertAudit(queries, { actor: actorAt(name), action, data: address === null ? {} : { address } })
}
