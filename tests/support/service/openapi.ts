/** The OpenAPI document as tests read it: its calls, its errors, and its schemas for validation. */
import { API_ERRORS, type ApiErrorCode } from '@causeway/core'
import { z } from 'zod'
import { COMMON_CODES } from '../../../server/src/api/openapi/operations/operation.ts'
import { OPERATIONS } from '../../../server/src/api/openapi/operations.ts'

type Json = Record<string, unknown>

export interface Media {
  schema: Json
  examples?: Record<string, { summary?: string; value?: unknown; $ref?: string }>
}

export interface Response {
  $ref?: string
  description: string
  headers?: Json
  content?: Record<string, Media>
}

export interface OpenApiCall {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: { name: string; in: string; description?: string; schema: Json; example?: unknown; $ref?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
  security?: Json[]
}

export interface OpenApi {
  openapi: string
  info: { description: string; license: { identifier: string } }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OpenApiCall>>
  webhooks: { swap: { post: OpenApiCall }; test: { post: OpenApiCall } }
  components: Record<string, Json> & {
    responses: Record<string, Response>
    examples: Record<string, { value: unknown }>
  }
}

export function callsOf({ paths }: Pick<OpenApi, 'paths'>): (OpenApiCall & { key: string })[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ key: `${method.toUpperCase()} ${path}`, ...call })),
  )
}

/** Follows a reference to a shared response. */
export function responseIn({ components }: OpenApi, response: Response): Response {
  return components.responses[nameIn(response.$ref)] ?? response
}

/** The values of the examples. */
export function valuesIn({ components }: OpenApi, { examples = {} }: Media): unknown[] {
  return Object.values(examples).map(({ $ref, value }) => ($ref ? components.examples[nameIn($ref)]?.value : value))
}

/** A schema of the document to validate values with. */
export function checkerOf({ components }: OpenApi, schema: Json): z.ZodType {
  const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(whole))
}

function nameIn(reference = ''): string {
  return reference.split('/').at(-1) ?? ''
}

/** Throws if the operation does not document this error. Paths that are not operations may return anything. */
export function expectDescribed(method: string, url: string, status: number, code: string): void {
  const place = new URL(url, 'http://here').pathname.replace(/^\/+/, '/')
  const key = Object.keys(OPERATIONS).find((known) => patternOf(known).test(`${method} ${place}`))
  const operation = key === undefined ? undefined : OPERATIONS[key]
  if (!operation) return
  const described: readonly string[] = [...COMMON_CODES, 'VALIDATION_ERROR', ...(operation.codes ?? [])]
  if (!described.includes(code)) throw new Error(`${key} does not say that it may be refused as ${code}`)
  if (API_ERRORS[code as ApiErrorCode] !== status) throw new Error(`${code} was answered as ${status}`)
}

/** Fixed paths precede parametrised ones in the list of operations, or have another form. */
function patternOf(key: string): RegExp {
  return new RegExp(`^${key.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
