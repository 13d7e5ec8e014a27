/** Connects fastify to the wire's zod schemas: requests are parsed with them, responses are typed by them. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@causeway/core'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { z } from 'zod'
import { toJson } from './json.ts'

interface Wire extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown
}

/** Fastify with typed routes: a handler's input and output types follow from its schemas. */
export type Api = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, Wire>

export function useWireSchemas(api: FastifyInstance): Api {
  api.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const parsed = schema.safeParse(data)
    return parsed.success ? { value: parsed.data } : { error: validationError(parsed.error) }
  })
  // Responses are checked by the compiler and by tests, not again on every request.
  api.setSerializerCompiler(() => toJson)
  api.setReplySerializer(toJson)
  return api.withTypeProvider<Wire>()
}

/** For a route that parses its requests with `parseWith`. */
export const skipValidation = () => (value: unknown) => ({ value })

export function parseWith<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}

/** Sends a response whose JSON text is ready. */
export function sendText<Reply extends Pick<FastifyReply, 'type'>>(reply: Reply, text: string): Reply {
  const untyped: Pick<FastifyReply, 'type' | 'send'> = reply as Reply & FastifyReply
  untyped.type('application/json; charset=utf-8').send(text)
  return reply
}

/** Names each field once, with its first problem. */
function validationError(error: z.ZodError): ApiError {
  const fields: Record<string, string> = {}
  for (const { path, message } of error.issues) fields[String(path[0] ?? 'body')] ??= message
  const names = Object.keys(fields)
  return new ApiError('VALIDATION_ERROR', `Not valid: ${names.join(', ')}.`, fields)
}
