/**
 * Received coins that cannot be spent: the first sender to an address may make it a vesting or permanently locked
 * account. The message shows it; if it is hidden (a contract, a proposal, an account on another chain) the account type
 * does.
 */
import type { Address, Sighting } from '@causeway/core'
import type { Node } from '../node/node.ts'
import { accountKind } from '../node/queries.ts'
import type { Message, Transaction } from '../transaction.ts'
import type { Flow } from './events.ts'
import { readPacket } from './messages.ts'

const LOCKED = 'it may be locked up at its address'
const LOCKING_MESSAGE = /\/[\w.]*vesting[\w.]*\.Msg/i
const LOCKING_KIND = /vest|lock|clawback/i

/**
 * Why coins of this message are doubted; null if they are not. Other messages of the transaction are not considered: a
 * relayer combines unrelated messages.
 */
export function lockDoubt({ messages }: Transaction, { message }: Flow): string | null {
  const causes = message === null ? messages : messages.slice(message, message + 1)
  return causes.some(mayLock) ? LOCKED : null
}

/**
 * Whether a message may lock coins, at any depth. A packet's content is left out: its sender could otherwise cast doubt
 * on coins of others.
 */
function mayLock(message: Message): boolean {
  if (readPacket(message)) return false
  return LOCKING_MESSAGE.test(`${message.type}\n${Buffer.from(message.value).toString('latin1')}`)
}

/** Adds a doubt to deposits at an address that is such an account. */
export async function doubtLocked(node: Node, treasury: Address, sightings: Sighting[]): Promise<Sighting[]> {
  const addresses = new Set(sightings.flatMap(({ to, doubt }) => (doubt === undefined && to !== treasury ? [to] : [])))
  const kinds = await Promise.all([...addresses].map(async (to) => [to, await accountKind(node, to)] as const))
  const locked = new Set(kinds.flatMap(([to, kind]) => (kind !== null && LOCKING_KIND.test(kind) ? [to] : [])))
  return sightings.map((one) => (one.doubt === undefined && locked.has(one.to) ? { ...one, doubt: LOCKED } : one))
}
