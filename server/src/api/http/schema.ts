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
    return parsed.success ? { value: parsed.data } : { error: validationError(parsed.error, data) }
  })
  // Responses are checked by the compiler and by tests, not again on every request.
  api.setSerializerCompiler(() => toJson)
  api.setReplySerializer(toJson)
  return api.withTypeProvider<Wire>()
}

/** The validator of a route that parses its requests with `parseWith` instead. */
export const skipValidation = () => (value: unknown) => ({ value })

export function parseWith<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw validationError(parsed.error, data)
  return parsed.data
}

/** Sends a response whose JSON text is ready, possibly already in UTF-8. */
export function sendText<Reply extends Pick<FastifyReply, 'type'>>(reply: Reply, text: string | Buffer): Reply {
  const untyped: Pick<FastifyReply, 'type' | 'send'> = reply as Reply & FastifyReply
  untyped.type('application/json; charset=utf-8').send(text)
  return reply
}

/** The error for an invalid request: names each field once, with its first problem. */
function validationError(error: z.ZodError, data: unknown): ApiError {
  const fields: Record<string, string> = {}
  for (const issue of error.issues) fields[String(issue.path[0] ?? 'body')] ??= problemOf(issue, data)
  const listed = Object.entries(fields).map(([name, problem]) => `${name} ${problem}`)
  return new ApiError('VALIDATION_ERROR', `Invalid request: ${listed.join('; ')}.`, fields)
}

/** The problem of a field, worded so that it continues the field's name: "amount must be ...". */
function problemOf(issue: z.core.$ZodIssue, data: unknown): string {
  if (isMissing(data, issue.path)) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${ARTICLES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? `must be a valid ${issue.format}` : issue.message
    case 'too_big':
      return issue.message.startsWith('Too')
        ? `must have at most ${issue.maximum}${unitOf(issue.origin)}`
        : issue.message
    case 'too_small':
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum}${unitOf(issue.origin)}`
    default:
      return issue.message
  }
}

const ARTICLES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : ''
}

/** Whether the field is missing. Queries and bodies are flat: only their own fields can be missing. */
function isMissing(data: unknown, [name, ...more]: readonly PropertyKey[]): boolean {
  if (name === undefined || more.length > 0) return false
  return typeof data === 'object' && data !== null && (data as Record<PropertyKey, unknown>)[name] === undefined
}
