/**
 * Compresses large JSON and SVG answers for browsers, which may sit behind a slow line. Programs get them as they are:
 * for them compressing costs more time than it saves.
 */
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Below this an answer fits into one packet anyway. */
const LEAST_BYTES = 1_400
/** A millisecond for a hundred kilobytes. */
const QUALITY = 2
const TYPES = /^(?:application\/json|image\/svg\+xml)/

export function registerCompression(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const { headers } = request
    const isWanted =
      headers['sec-fetch-mode'] !== undefined &&
      /\bbr\b/.test(String(headers['accept-encoding'] ?? '')) &&
      TYPES.test(String(reply.getHeader('content-type') ?? '')) &&
      !reply.hasHeader('content-encoding')
    if (!isWanted || typeof payload !== 'string' || payload.length < LEAST_BYTES) return done(null, payload)
    reply.removeHeader('content-length')
    reply.header('content-encoding', 'br').header('vary', 'accept-encoding')
    // At once: a hook that waits would let an answer be sent twice when the request ends meanwhile.
    done(null, brotliCompressSync(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }))
  })
}
