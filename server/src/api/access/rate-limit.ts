/**
 * Rate limits per minute and client: a secret key, or an address (with a public key, for each page alone). Counted in memory, in fixed windows that start
 * with the client's first request. Processes merge their counts through the database every second, or sooner once a
 * client uses more than a small share. All processes together admit at most 10 % above the limit.
 */
import { isIPv6 } from 'node:net'
import { ApiError } from '@causeway/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Counted, Settled } from '../../store/limits/rate-limits.ts'

export const WINDOW_MS = 60_000
/** At most about 20 MB; beyond it the oldest windows are dropped. */
const MAX_CLIENTS = 100_000
/**
 * The share of a limit that all processes together admit between two merges. Half of the 10 %, since a process that has
 * just started is not known to the others yet.
 */
const UNSETTLED_SHARE = 0.05
/** Clients per statement. */
const MOST_SETTLED = 2_000

/**
 * How many limits the IPv6 networks above a client have: anyone can get a /48, with 65,536 networks of the size that counts as a
 * client. A provider's /48 holds up to 256 connections with a /56 each, of which one must not lock out the others.
 */
const LIMITS_OF = { connection: 4, site: 16 }
/** The end of a client's name that is an IPv6 network. */
const SUBNET = '::/64'
/** When a client of a spent network may try again. */
const SITE_SECONDS = 60

type Kind = 'reads' | 'creations'

interface Window {
  endsAt: number
  /** The count of all processes at the last merge. */
  settled: Record<Kind, number>
  /** This process's count since the last merge. */
  fresh: Record<Kind, number>
}

/** Merges counts with the other processes; returns the number of processes and the sums. */
export type Settle = (counted: Counted[]) => Promise<{ processes: number; windows: Settled[] }>

/** The caller's limit, as the headers of a response name it. */
export interface Allowance {
  limit: number
  left: number
  /** Seconds to the end of the window. */
  reset: number
}

export interface RateLimiter {
  /** Counts one request and sets the headers; throws over the limit. Synchronous unless it must merge first. */
  take(client: string, factor: number, kind: Kind, reply: FastifyReply): void | Promise<void>
  /** Counts one request, unless it is over the limit or counts must be merged first: then null, and it is not counted. */
  takeAtOnce(client: string, factor: number, kind: Kind): Allowance | null
  /** True if the limit of this window, or of a network above the client, is used up. Counts nothing. */
  isSpent(client: string, factor: number, kind: Kind): boolean
  /** Merges everything that this process has counted. */
  settle(): Promise<void>
}

export function createRateLimiter(
  config: Config,
  settle: Settle | null,
  clock: () => number = () => performance.now(),
): RateLimiter {
  const limits = { reads: config.rateLimitReadsPerMinute, creations: config.rateLimitCreationsPerMinute }
  const windows = new Map<string, Window>()
  const unsettled = new Set<string>()
  let processes = 1
  let settling: Promise<void> | null = null
  let next: Promise<void> | null = null

  const standing = (client: string, now: number): Window | null => {
    const window = windows.get(client)
    return window && window.endsAt > now ? window : null
  }
  const open = (client: string, now: number): Window => {
    const none = () => ({ reads: 0, creations: 0 })
    const window = { endsAt: now + WINDOW_MS, settled: none(), fresh: none() }
    // Re-inserted at the end, so that the map is ordered by the windows' end.
    windows.delete(client)
    windows.set(client, window)
    if (windows.size > MAX_CLIENTS) forget(windows, now)
    return window
  }
  const isFull = ({ settled, fresh }: Window, limit: number, kind: Kind) => settled[kind] + fresh[kind] >= limit
  const allowanceOf = (window: Window, limit: number, kind: Kind): Allowance => ({
    limit,
    left: limit - window.settled[kind] - window.fresh[kind],
    reset: Math.max(1, Math.ceil((window.endsAt - clock()) / 1000)),
  })
  /** Counts the request for the networks above the client. True if one of them is over its limit: then it is not counted. */
  const isSiteSpent = (client: string, limit: number, kind: Kind): boolean => {
    const now = clock()
    const above = networksAbove(client).map(({ name, limits: most }) => {
      const window = standing(name, now) ?? open(name, now)
      return { name, window, isSpent: isFull(window, limit * most, kind) }
    })
    if (above.some(({ isSpent }) => isSpent)) return true
    for (const { name, window } of above) {
      window.fresh[kind] += 1
      unsettled.add(name)
    }
    return false
  }
  const judge = (window: Window, limit: number, kind: Kind, reply: FastifyReply): void => {
    const { left, reset } = allowanceOf(window, limit, kind)
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', left > 0 ? left : 0)
    reply.header('ratelimit-reset', reset)
    if (left < 0) throw tooMany(reply, reset, `more than ${limit} ${kind} a minute`)
  }
  /** How many requests this process admits between two merges. */
  const unsettledMost = (limit: number) => Math.floor((limit * UNSETTLED_SHARE) / processes)

  async function settleNow(): Promise<void> {
    if (!settle || unsettled.size === 0) return
    const now = clock()
    const clients = [...unsettled].slice(0, MOST_SETTLED)
    const counted = clients.flatMap((client) => {
      unsettled.delete(client)
      const window = standing(client, now)
      return window ? [{ client, ...window.fresh }] : []
    })
    if (counted.length === 0) return
    // Without the database each process counts on its own.
    const answer = await settle(counted).catch(() => null)
    if (!answer) return
    processes = answer.processes
    const told = new Map(counted.map((entry) => [entry.client, entry]))
    for (const { client, reads, creations, leftMs } of answer.windows) {
      const window = windows.get(client)
      const mine = told.get(client)
      if (!window || !mine) continue
      window.settled = { reads, creations }
      // Requests during the database call are merged next time.
      window.fresh = { reads: window.fresh.reads - mine.reads, creations: window.fresh.creations - mine.creations }
      window.endsAt = clock() + leftMs
      if (window.fresh.reads + window.fresh.creations > 0) unsettled.add(client)
    }
  }

  /** Merges all counts, one merge at a time; calls during a merge share the next one. */
  function settleAll(): Promise<void> {
    if (next) return next
    const begin = async () => {
      await settling
      next = null
      settling = settleNow()
      await settling
    }
    next = begin()
    return next
  }

  return {
    take(client, factor, kind, reply) {
      const now = clock()
      const window = standing(client, now) ?? open(client, now)
      const limit = limits[kind] * factor
      // The client is already over the limit everywhere, so further requests need no merge.
      if (window.settled[kind] > limit) return judge(window, limit, kind, reply)
      // Requests above its own limit take nothing from its neighbours.
      if (!isFull(window, limit, kind) && isSiteSpent(client, limit, kind))
        throw tooMany(reply, SITE_SECONDS, `more than this network's limit of ${kind}`)
      window.fresh[kind] += 1
      unsettled.add(client)
      if (!settle || window.fresh[kind] <= unsettledMost(limit)) return judge(window, limit, kind, reply)
      return settleAll().then(() => judge(standing(client, clock()) ?? window, limit, kind, reply))
    },
    takeAtOnce(client, factor, kind) {
      const window = standing(client, clock())
      const limit = limits[kind] * factor
      if (!window || isFull(window, limit, kind)) return null
      if (settle && window.fresh[kind] >= unsettledMost(limit)) return null
      if (isSiteSpent(client, limit, kind)) return null
      window.fresh[kind] += 1
      unsettled.add(client)
      return allowanceOf(window, limit, kind)
    },
    isSpent(client, factor, kind) {
      const now = clock()
      const limit = limits[kind] * factor
      return [{ name: client, limits: 1 }, ...networksAbove(client)].some(({ name, limits: most }) => {
        const window = standing(name, now)
        return window !== null && isFull(window, limit * most, kind)
      })
    },
    settle: settleAll,
  }
}

export function tooMany(reply: Pick<FastifyReply, 'header'>, seconds: number, what: string): ApiError {
  reply.header('retry-after', seconds)
  return new ApiError('RATE_LIMIT_EXCEEDED', `Too many requests: ${what}. Try again in ${seconds} s.`, {
    retry_after_seconds: seconds,
  })
}

/**
 * A secret key is one client. A public key is visible in a page: each of its visitors counts alone, or one of them could
 * use up the limits of all.
 */
export function clientOf(request: Pick<FastifyRequest, 'caller' | 'ip'>): string {
  const { caller } = request
  if (!caller) return addressOf(request)
  return caller.isSecret ? caller.keyId : `${caller.keyId} ${addressOf(request)}`
}

/** An IPv6 /64 counts as one client, because providers assign a /64 to each customer. */
export function addressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ip.includes(':')) return ip
  const address = withoutPort(ip)
  return isIPv6(address) ? subnetOf(address) : address
}

/** Some proxies add the port, which differs with each connection of a client. */
function withoutPort(ip: string): string {
  const [, inBrackets, beforeColon] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(ip) ?? []
  return inBrackets ?? beforeColon ?? ip
}

/** The /56 and, last, the /48 of a client that is an IPv6 /64, or of what is counted for it; none for others. */
export function networksAbove(client: string): { name: string; limits: number }[] {
  if (!client.endsWith(SUBNET)) return []
  const groups = client.slice(0, -SUBNET.length)
  const at = groups.lastIndexOf(':')
  const site = groups.slice(0, at)
  const connection = groups
    .slice(at + 1)
    .padStart(4, '0')
    .slice(0, 2)
  return [
    { name: `${site}:${connection}00::/56`, limits: LIMITS_OF.connection },
    { name: `${site}::/48`, limits: LIMITS_OF.site },
  ]
}

/** The first 64 bits of an IPv6 address. An IPv4-mapped address counts as its IPv4 address. */
function subnetOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = ip.split('%', 1).join('').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  // Proxies differ in capitals and leading zeros.
  const plain = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${plain.join(':')}${SUBNET}`
}

/** Drops ended windows, or the oldest if none has ended. */
function forget(windows: Map<string, Window>, now: number): void {
  for (const [client, { endsAt }] of windows) {
    if (endsAt > now && windows.size <= MAX_CLIENTS) return
    windows.delete(client)
  }
}
