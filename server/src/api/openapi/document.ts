/**
 * The OpenAPI 3.1 document, made from the schemas that the routes validate with, the texts of `operations/`, and the
 * recorded examples. A test keeps `sdk/openapi.json` equal to it.
 */
import type { ApiErrorCode } from '@causeway/core'
import { Failure, SwapEvent, TestEvent } from '@causeway/sdk'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { z } from 'zod'
import { deliveriesOf } from './deliveries.ts'
import { downConvert } from './down-convert.ts'
import { CORRELATION, failureExamples, failureResponses, failureSchemas, failuresOf, headersOf } from './errors.ts'
import { createExampleRenderer, type ExampleRenderer } from './example-renderer.ts'
import { type Example, type Examples, readExamples } from './examples.ts'
import { COMMON_CODES, type Operation } from './operations/operation.ts'
import { OPERATIONS, TAGS } from './operations.ts'
import { ANY_KEY, HEADERS, PARAMETERS, SECRET_KEY, SECURITY_SCHEMES } from './parts.ts'
import { type JsonSchema, shapeOf } from './shapes.ts'

const VERSION = '2.0.0'
const DESCRIPTION = `Moves tokens between blockchain networks: ask for a quote, make a swap, send the deposit exactly as a
deposit action says, and follow the swap until it reaches a terminal state. Every answer is \`{"data": …}\` or
\`{"error": {"code", "message", "metadata"}}\`. Identify tokens by contract or group: symbols are labels and may change. Guides
are at \`/docs\` of every service. The examples were recorded on local chains; long lists in them are shortened.`
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** Collects the routes as they are added; each version of the document is built on first use. */
export function describeRoutes(server: FastifyInstance) {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => {
    routes.push(route)
  })
  const texts: { now?: string; old?: string } = {}
  return {
    openapi31: () => {
      texts.now ??= writeDocument(documentOf(routes, readExamples()))
      return texts.now
    },
    openapi30: () => {
      texts.old ??= writeDocument(downConvert(documentOf(routes, readExamples())))
      return texts.old
    },
  }
}

/**
 * Writes the document with two spaces of indentation and each example on one line: otherwise examples would be most of
 * the file.
 */
function writeDocument(document: JsonSchema): string {
  const values: string[] = []
  const text = JSON.stringify(
    document,
    (name, given) => (name === 'value' ? `\u0000${values.push(JSON.stringify(given)) - 1}` : given),
    2,
  )
  return `${text.replaceAll(/"\\u0000(\d+)"/g, (_, at) => values[Number(at)] ?? '')}\n`
}

interface Making {
  components: Map<string, JsonSchema>
  examples: Examples
  showing: ExampleRenderer
}

function documentOf(routes: RouteOptions[], examples: Examples): JsonSchema {
  const making: Making = { components: new Map(), examples, showing: createExampleRenderer(examples) }
  const failure = shapeOf(Failure, 'output', making.components)
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    for (const method of [route.method].flat()) {
      const key = `${method} ${path}`
      const operation = OPERATIONS[key]
      if (!operation) continue
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, key, operation, making) }
    }
  }
  const { components } = making
  const eventOf = (schema: z.ZodType) => componentOf(schema, components)
  const responses = usedIn(paths, 'responses', failureResponses(examples))
  for (const [name, schema] of Object.entries(failureSchemas())) components.set(name, schema)
  components.set('ApiError', openCode(components.get('ApiError') ?? {}))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway',
      version: VERSION,
      description: DESCRIPTION.replaceAll('\n', ' '),
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'The service that this document was read from' }],
    security: ANY_KEY,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(byOrder)),
    webhooks: deliveriesOf({ swap: eventOf(SwapEvent), test: eventOf(TestEvent) }, examples, making.showing.one),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: {
        ...responses,
        Other: { description: OTHER, headers: headersOf(), content: json(failure, OTHER_EXAMPLE) },
      },
      examples: {
        ...usedIn([paths, responses], 'examples', failureExamples(examples)),
        ...making.showing.shared,
      },
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** A reference to a named schema, which becomes a component. */
function componentOf(schema: z.ZodType, components: Map<string, JsonSchema>): JsonSchema {
  const { properties } = shapeOf(z.strictObject({ schema }), 'output', components)
  return (properties as { schema: JsonSchema }).schema
}

/** The components of this kind that `parts` references. */
function usedIn(parts: unknown, kind: string, named: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const text = JSON.stringify(parts)
  return Object.fromEntries(Object.entries(named).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)))
}

const OTHER = 'A failure of another kind: take its status for what to do.'

const OTHER_EXAMPLE = {
  summary: 'A code that is newer than your client',
  value: { error: { code: 'SOMETHING_NEW', message: 'A description of the problem and of what to do.', metadata: {} } },
}

const json = (schema: JsonSchema, other: JsonSchema) => ({ 'application/json': { schema, examples: { other } } })

/** New codes may be added, so the schema is any string, some of which are known. */
function openCode(schema: JsonSchema): JsonSchema {
  const code = { anyOf: [{ $ref: '#/components/schemas/ErrorCode' }, { type: 'string' }] }
  return { ...schema, properties: { ...(schema.properties as object), code } }
}

/** Sorts paths like the operations list, so that the document reads like the guide. */
function byOrder([a]: [string, unknown], [b]: [string, unknown]): number {
  const keys = Object.keys(OPERATIONS).map((key) => key.split(' ')[1])
  return keys.indexOf(a) - keys.indexOf(b)
}

function operationOf(route: RouteOptions, key: string, operation: Operation, making: Making): JsonSchema {
  const { schema } = route
  const { components } = making
  const own = making.examples[key] ?? []
  const asked = own.find(({ status }) => status === 200)
  const params = isZod(schema?.params)
  const query = isZod(schema?.querystring)
  const body = isZod(schema?.body)
  const bodies = own.filter(({ status, request }) => status === 200 && request.body !== undefined)
  const isChecked = params !== null || query !== null || body !== null
  const common: readonly ApiErrorCode[] = operation.isBare ? ['UNEXPECTED_ERROR'] : COMMON_CODES
  const codes = [...(isChecked ? (['VALIDATION_ERROR'] as const) : []), ...(operation.codes ?? []), ...common]
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.needsSecretKey && { security: SECRET_KEY }),
    parameters: [
      ...parametersOf(params, 'path', components, asked?.request.path),
      ...parametersOf(query, 'query', components, asked?.request.query),
      ...['CorrelationId', ...(operation.headers ?? [])].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: shapeOf(body, 'input', components),
            ...making.showing.all(bodies, ({ request }) => request.body),
          },
        },
      },
    }),
    responses: {
      200: {
        description: operation.summary,
        ...(operation.isBare
          ? { headers: CORRELATION }
          : { headers: headersOf(), content: contentOf(route, operation, making, own) }),
      },
      ...(operation.content === EVENTS && { 204: { description: 'Nothing more will come: do not come back.' } }),
      ...failuresOf([...new Set(codes)], own, making.examples),
      default: { $ref: '#/components/responses/Other' },
    },
  }
}

const EVENTS = 'text/event-stream'

function contentOf(
  route: RouteOptions,
  { content = 'text/plain' }: Operation,
  making: Making,
  own: Example[],
): JsonSchema {
  const schema = answerOf(route, making)
  const shown = making.showing.all(
    own.filter(({ status }) => status === 200),
    ({ answer }) => answer,
  )
  return schema ? { 'application/json': { schema, ...shown } } : { [content]: { schema: { type: 'string' }, ...shown } }
}

function answerOf({ schema }: RouteOptions, { components }: Making): JsonSchema | null {
  const answer = isZod(responseOf(schema?.response))
  return answer && shapeOf(answer, 'output', components)
}

function parametersOf(
  schema: z.ZodType | null,
  place: 'path' | 'query',
  components: Map<string, JsonSchema>,
  given: Record<string, string> = {},
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
    ...(given[name] !== undefined && { example: typed(shape, given[name]) }),
  }))
}

/** Converts a parameter's text to the type of its schema. */
function typed({ type }: JsonSchema, text: string): unknown {
  return type === 'boolean' || type === 'number' || type === 'integer' ? JSON.parse(text) : text
}

function responseOf(response: unknown): unknown {
  return typeof response === 'object' && response !== null && 200 in response ? response[200] : null
}

function isZod(value: unknown): z.ZodType | null {
  return value instanceof z.ZodType ? value : null
}
