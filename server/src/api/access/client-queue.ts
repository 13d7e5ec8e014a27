/**
 * Lists are the most expensive queries and have few database connections. The lists of one client run one after the
 * other, so a client with slow lists never holds more than one connection.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, clientOf, tooMany } from './rate-limit.ts'

/** Lists of one client that may wait behind the running one. */
const MOST_WAITING = 20

export type ClientQueue = <Answer>(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'header'>,
  ask: () => Promise<Answer>,
) => Promise<Answer>

export function createClientQueue(): ClientQueue {
  const last = new Map<string, { waiting: number; done: Promise<unknown> }>()
  return async (request, reply, ask) => {
    // Anyone who opens a page with a public key shares that key, so the address counts too.
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
