/** The id by which a caller and we find the same request in our logs. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const CORRELATION_HEADER = 'x-ls-correlation-id'

/** The caller's own id if well-formed. */
export function correlationOf({ headers }: IncomingMessage): string {
  const given = headers[CORRELATION_HEADER]
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}
