/**
 * Received coins that cannot be spent: the first sender to an address may make it a vesting or permanently locked
 * account. The message shows it; if it is hidden (a contract, a proposal, an account on another chain) the account
 * does. Coins that come later, or beyond the locked ones, are spendable.
 */
import type { Sighting } from '@causeway/core'
import { denomOf } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { type AccountLock, accountLock } from '../node/queries.ts'
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

/** Adds a doubt to deposits that may be the locked coins of such an account. Coins beyond them are spendable. */
export async function doubtLocked(
  node: Node,
  chain: Pick<CosmosChain, 'treasury' | 'settings'>,
  sightings: Sighting[],
): Promise<Sighting[]> {
  const open = sightings.filter(({ to, doubt }) => doubt === undefined && to !== chain.treasury)
  const addresses = [...new Set(open.map(({ to }) => to))]
  const locks = new Map(
    await Promise.all(addresses.map(async (to) => [to, await accountLock(node, to, null)] as const)),
  )
  const locked = await Promise.all(
    open.map(async (one) => {
      const lock = locks.get(one.to)
      return lock && LOCKING_KIND.test(lock.kind) && (await mayBeLocked(node, chain, lock, one)) ? [one] : []
    }),
  )
  const doubtful = new Set(locked.flat())
  return sightings.map((one) => (doubtful.has(one) ? { ...one, doubt: LOCKED } : one))
}

/**
 * Anyone may lock a unit at an address that has never received anything, so the account's type alone says nothing about
 * later coins. Locked coins arrive in the block that raises the locked sum, and are no more than it.
 */
async function mayBeLocked(
  node: Node,
  { settings }: Pick<CosmosChain, 'settings'>,
  { original }: AccountLock,
  { amount: { token, units }, block, to }: Sighting,
): Promise<boolean> {
  if (!original) return true
  const denom = denomOf(token, settings.denom)
  const sum = original.get(denom) ?? 0n
  if (units > sum) return false
  if (!block || block.number <= 1n) return true
  // Null if the state of that block is pruned.
  const [before, after] = await Promise.all([
    accountLock(node, to, block.number - 1n),
    accountLock(node, to, block.number),
  ])
  const raised = (after?.original?.get(denom) ?? sum) - (before?.original?.get(denom) ?? 0n)
  return units <= raised
}
