/**
 * The OpenAPI 3.1 document, made from the schemas that the routes validate with. `sdk/openapi.json` is this text; a test
 * holds it current.
 */
import { Failure } from '@causeway/sdk'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { z } from 'zod'
import { OPERATIONS, type Operation } from './operations.ts'
import { type JsonSchema, shapeOf } from './shapes.ts'

const VERSION = '2.0.0'
const DESCRIPTION = `Moves tokens between blockchain networks: ask for a quote, make a swap, send the deposit exactly as a
deposit action says, and follow the swap until it reaches a terminal state. Every answer is \`{"data": …}\` or
\`{"error": {"code", "message", "metadata"}}\`. Identify tokens by contract or group: symbols are labels and may change.`

/** Collects the routes as they are added; the document is written when it is asked for first. */
export function describeRoutes(server: FastifyInstance): () => string {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => {
    routes.push(route)
  })
  let text: string | null = null
  return () => {
    text ??= `${JSON.stringify(documentOf(routes), null, 2)}\n`
    return text
  }
}

function documentOf(routes: RouteOptions[]): JsonSchema {
  const components = new Map<string, JsonSchema>()
  const failure = shapeOf(Failure, 'output', components)
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    for (const method of [route.method].flat()) {
      const operation = OPERATIONS[`${method} ${path}`]
      if (!operation) continue
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: operationOf(route, path, method, operation, failure, components),
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Causeway', version: VERSION, description: DESCRIPTION.replaceAll('\n', ' ') },
    servers: [{ url: '/' }],
    // The key is optional: it attributes swaps to an app and raises the rate limits.
    security: [{}, { ApiKey: [] }],
    tags: [...new Set(Object.values(OPERATIONS).map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(byOrder)),
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-LS-APIKEY' } },
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** In the order of the list of operations, so that the document reads like the guide. */
function byOrder([a]: [string, unknown], [b]: [string, unknown]): number {
  const keys = Object.keys(OPERATIONS).map((key) => key.split(' ')[1])
  return keys.indexOf(a) - keys.indexOf(b)
}

function operationOf(
  { schema }: RouteOptions,
  path: string,
  method: string,
  { tag, summary, content }: Operation,
  failure: JsonSchema,
  components: Map<string, JsonSchema>,
): JsonSchema {
  const answer = isZod(responseOf(schema?.response))
  const body = isZod(schema?.body)
  const json = (shape: JsonSchema) => ({ 'application/json': { schema: shape } })
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    parameters: [
      ...parametersOf(isZod(schema?.params), 'path', components),
      ...parametersOf(isZod(schema?.querystring), 'query', components),
    ],
    ...(body && { requestBody: { required: true, content: json(shapeOf(body, 'input', components)) } }),
    responses: {
      200: {
        description: summary,
        content: answer ? json(shapeOf(answer, 'output', components)) : { [content ?? 'text/plain']: { schema: {} } },
      },
      default: { description: 'What went wrong, by its code', content: json(failure) },
    },
  }
}

function parametersOf(
  schema: z.ZodType | null,
  place: 'path' | 'query',
  components: Map<string, JsonSchema>,
): JsonSchema[] {
  if (!schema) return []
  const { properties = {}, required = [] } = shapeOf(schema, 'input', components) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: shape,
  }))
}

/** `GET /api/v2/swaps/{swapId}/authorize` is `getSwapsAuthorize`. */
function operationId(method: string, path: string): string {
  const words = path.replace('/api/v2', '').split(/[^a-zA-Z0-9{}]+/)
  const named = words.map((word) => (word.startsWith('{') ? `By${capital(word.slice(1, -1))}` : capital(word)))
  return method.toLowerCase() + named.join('')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function responseOf(response: unknown): unknown {
  return typeof response === 'object' && response !== null && 200 in response ? response[200] : null
}

function isZod(value: unknown): z.ZodType | null {
  return value instanceof z.ZodType ? value : null
}
