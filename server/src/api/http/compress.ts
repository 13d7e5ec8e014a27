/**
 * Compresses large JSON and SVG responses for browsers, which may have a slow connection. Other clients get them
 * uncompressed: for them compression takes more time than it saves.
 */
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Responses below this size are not compressed: they fit into one packet anyway. */
const LEAST_BYTES = 1_400
/** Brotli quality: about a millisecond per hundred kilobytes. */
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
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isWanted || !isText || payload.length < LEAST_BYTES) return done(null, payload)
    reply.removeHeader('content-length')
    reply.header('content-encoding', 'br').header('vary', 'accept-encoding')
    // Synchronous: an asynchronous hook could send a response twice if the request ends meanwhile.
    done(null, brotliCompressSync(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }))
  })
}
