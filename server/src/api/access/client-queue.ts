/**
 * Lists are the dearest questions to the database, and have few connections. The lists of one client are answered one after
 * the other: however slow what it asks for may be, it never has more than one of those connections.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, clientOf, tooMany } from './rate-limit.ts'

/** Lists of one client that wait behind the one that is being answered. */
const MOST_WAITING = 20

export type ClientQueue = <Answer>(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'header'>,
  ask: () => Promise<Answer>,
) => Promise<Answer>

export function createClientQueue(): ClientQueue {
  const last = new Map<string, { waiting: number; done: Promise<unknown> }>()
  return async (request, reply, ask) => {
    // A public key is everybody's who opens the page that holds it.
    const client = `${clientOf(request)} ${addressOf(request)}`
    const before = last.get(client)
    if (before && before.waiting > MOST_WAITING) throw tooMany(reply, 1, `${MOST_WAITING} lists of yours wait already`)
    const answer = (before?.done ?? Promise.resolve()).then(ask)
    const done = answer.catch(() => undefined)
    const mine = { waiting: (before?.waiting ?? 0) + 1, done }
    last.set(client, mine)
    try {
      return await answer
    } finally {
      const newest = last.get(client)
      if (newest === mine) last.delete(client)
      else if (newest) newest.waiting -= 1
    }
  }
}
