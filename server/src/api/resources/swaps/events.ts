/**
 * GET /swaps/{id}/events: the swap as server-sent events, now and on every change, until it reaches a terminal state.
 * Each event carries the response of `GET /swaps/{id}` without the deposit actions.
 */
import { PassThrough } from 'node:stream'
import { ApiError, TERMINAL_STATUSES } from '@causeway/core'
import { SwapParams } from '@causeway/sdk'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../../services.ts'
import { readStatus } from '../../../store/swaps/swap-read.ts'
import { secretAppOf } from '../../access/auth.ts'
import { createConnectionQuota } from '../../access/connection-quota.ts'
import { clientOf, tooMany } from '../../access/rate-limit.ts'
import type { ChangeFeed } from '../../cache/change-feed.ts'
import type { Api } from '../../http/schema.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { shownStatus } from '../../present/swap.ts'

/** Proxies close connections that are silent for a minute, some after 30 s. */
const HEARTBEAT_MS = 15_000
/** Streams per address; a secret key has the same multiple as for requests. */
const MAX_PER_CLIENT = 20
const MAX_STREAMS = 10_000
const RETRY_SECONDS = 10
/** A client that does not read is disconnected. It can reconnect for the latest state at any time. */
const MAX_UNREAD_BYTES = 256 * 1024
const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_STATUSES)

export function eventRoutes(server: FastifyInstance, api: Api, services: Services, news: ChangeFeed): void {
  const streams = createConnectionQuota<PassThrough>(MAX_STREAMS, (stream) => stream.end())
  const heartbeat = setInterval(() => {
    for (const stream of streams.all()) write(stream, ': heartbeat\n\n')
  }, HEARTBEAT_MS)
  heartbeat.unref()
  server.addHook('preClose', async () => {
    clearInterval(heartbeat)
    for (const stream of streams.all()) stream.end()
  })

  api.get('/swaps/:swapId/events', { schema: { params: SwapParams } }, async (request, reply) => {
    // Change events use the id as the database writes it.
    const swapId = request.params.swapId.toLowerCase()
    const stored = await readStatus(services.database, swapId)
    if (stored === null) throw new ApiError('NOT_FOUND', `There is no swap ${swapId}.`)
    const status = shownStatus(presentationContextOf(services, request), stored)
    // A browser reconnects after every end of the stream. Only a 204 stops it.
    if (TERMINAL.has(status) && request.headers['last-event-id'] === status) return reply.status(204).send()
    const client = clientOf(request)
    const most = MAX_PER_CLIENT * (request.caller?.isSecret ? services.config.rateLimitKeyFactor : 1)
    const stream = new PassThrough()
    if (!streams.take(client, most, stream)) {
      throw tooMany(reply, RETRY_SECONDS, `${streams.of(client)} open streams`)
    }
    const leave = () => streams.leave(client, stream)
    stream.once('close', leave)
    show(stream, swapId, secretAppOf(request)).catch((error) => {
      request.log.warn({ err: error, swapId }, 'an event stream was broken off')
      leave()
      stream.destroy()
    })
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        // No request follows a stream on the same connection, so a closing server need not wait for one.
        connection: 'close',
      })
      .send(stream)
  })

  /** Subscribes before it reads, so that no change is missed. A change during a read triggers another read. */
  async function show(stream: PassThrough, swapId: string, reader: string | null): Promise<void> {
    let isStale = true
    let wake: () => void = () => undefined
    const unfollow = await news.follow(swapId, () => {
      isStale = true
      wake()
    })
    stream.once('close', () => wake())
    try {
      while (!stream.writableEnded && !stream.destroyed) {
        if (!isStale) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        isStale = false
        const text = await services.describeSwap(services.database, swapId, reader)
        const status = statusIn(text)
        write(stream, `event: swap\nid: ${status}\ndata: ${text}\n\n`)
        if (TERMINAL.has(status)) stream.end()
      }
    } finally {
      unfollow()
    }
  }
}

function write(stream: PassThrough, text: string): void {
  if (stream.writableEnded || stream.destroyed) return
  if (stream.writableLength + stream.readableLength > MAX_UNREAD_BYTES) stream.destroy()
  else stream.write(text)
}

/** The status in a response text. We made this text ourselves, so it is not validated. */
function statusIn(text: string): string {
  const told: { data: { swap: { status: string } } } = JSON.parse(text)
  return told.data.swap.status
}
