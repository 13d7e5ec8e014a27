/**
 * How much one client may ask in a minute: a key, else an address. Counted in memory, per process, in fixed windows that
 * begin with the client's first request; every answer tells what is left.
 */
import { isIPv6 } from 'node:net'
import { ApiError } from '@causeway/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

const WINDOW_MS = 60_000
/** About twenty megabytes at the most; beyond it the clients whose windows began first are forgotten. */
const MAX_CLIENTS = 100_000

type Kind = 'reads' | 'creations'

interface Window {
  endsAt: number
  reads: number
  creations: number
}

export interface RateLimiter {
  /** Counts one request and writes the headers; throws when there were too many. */
  take(client: string, factor: number, kind: Kind, reply: FastifyReply): void
  /** True where nothing more may be asked in this window. Counts nothing. */
  isSpent(client: string, factor: number, kind: Kind): boolean
}

export function createRateLimiter(config: Config, clock: () => number = () => performance.now()): RateLimiter {
  const limits = { reads: config.RATE_LIMIT_READS, creations: config.RATE_LIMIT_CREATIONS }
  const windows = new Map<string, Window>()
  const standing = (client: string, now: number): Window | null => {
    const window = windows.get(client)
    return window && window.endsAt > now ? window : null
  }
  const open = (client: string, now: number): Window => {
    const window = { endsAt: now + WINDOW_MS, reads: 0, creations: 0 }
    // Put at the end anew: the map is then ordered by when windows end, and the first ones are the oldest.
    windows.delete(client)
    windows.set(client, window)
    if (windows.size > MAX_CLIENTS) forget(windows, now)
    return window
  }
  return {
    take(client, factor, kind, reply) {
      const now = clock()
      const window = standing(client, now) ?? open(client, now)
      const limit = limits[kind] * factor
      window[kind] += 1
      const left = limit - window[kind]
      const seconds = Math.ceil((window.endsAt - now) / 1000)
      reply.header('ratelimit-limit', limit)
      reply.header('ratelimit-remaining', left > 0 ? left : 0)
      reply.header('ratelimit-reset', seconds)
      if (left < 0) throw tooMany(reply, seconds, `more than ${limit} ${kind} a minute`)
    },
    isSpent(client, factor, kind) {
      const window = standing(client, clock())
      return window !== null && window[kind] >= limits[kind] * factor
    },
  }
}

export function tooMany(reply: FastifyReply, seconds: number, what: string): ApiError {
  reply.header('retry-after', seconds)
  return new ApiError('RATE_LIMIT_EXCEEDED', `Too many requests: ${what}. Try again in ${seconds} s.`, {
    retry_after_seconds: seconds,
  })
}

/** Whoever can pick from a whole subnet of addresses counts as one: providers give a /64 to a customer. */
export function clientOf({ caller, ip }: FastifyRequest): string {
  if (caller) return caller.keyId
  return ip.includes(':') && isIPv6(ip) ? subnetOf(ip) : ip
}

/** The first 64 bits. An address that stands for an IPv4 one is that one. */
function subnetOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = ip.split('%', 1).join('').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** What is over goes; if nothing is, the oldest does. */
function forget(windows: Map<string, Window>, now: number): void {
  for (const [client, { endsAt }] of windows) {
    if (endsAt > now && windows.size <= MAX_CLIENTS) return
    windows.delete(client)
  }
}
