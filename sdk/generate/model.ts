/** The operations and types of the OpenAPI document, from which the clients of other languages are generated. */

interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

interface Media {
  content?: Record<string, { schema: Schema }>
}

interface Call {
  operationId: string
  summary: string
  parameters: Parameter[]
  requestBody?: Media
  responses: Record<string, Media>
}

export interface OpenApi {
  paths: Record<string, Record<string, Call>>
  components: { schemas: Record<string, Schema> }
}

/** A type, whatever a language calls it. Amounts and rates are decimals, never floats. */
export type Type =
  | { kind: 'text' | 'decimal' | 'integer' | 'boolean' | 'any' }
  | { kind: 'list'; of: Type }
  | { kind: 'nullable'; of: Type }
  | { kind: 'named'; name: string }

export interface Field {
  name: string
  type: Type
  isRequired: boolean
  description: string
}

/** An object with known fields. */
export interface Shape {
  name: string
  fields: Field[]
}

export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  inPath: Field[]
  inQuery: Field[]
  /** The name of the body's shape; null without a body. */
  body: string | null
  isIdempotent: boolean
  /** The type of the response; null for one without a body. */
  result: Type | null
  /** Whether the result is inside `data`. */
  isWrapped: boolean
}

export interface Model {
  shapes: Shape[]
  operations: Operation[]
  /** The types of webhook events about swaps. */
  eventTypes: string[]
}

export function modelOf(document: OpenApi): Model {
  const shapes = new Map<string, Shape>()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, call]) => operationOf(document, shapes, path, method, call)),
  )
  const eventTypes = (document.components.schemas.SwapEventType?.enum ?? []).map(String)
  return { shapes: [...shapes.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), operations, eventTypes }
}

function operationOf(
  document: OpenApi,
  shapes: Map<string, Shape>,
  path: string,
  method: string,
  call: Call,
): Operation[] {
  const { operationId: id, summary, parameters } = call
  const content = call.responses['200']?.content
  const answer = content?.['application/json']?.schema
  // An event stream has no method: clients poll instead.
  if (content && !answer) return []
  const fieldsIn = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required, description = '' }) => ({
        name,
        type: typeOf(document, shapes, schema, `${capital(id)}${capital(camel(name))}`),
        isRequired: required,
        description,
      }))
  const body = call.requestBody?.content?.['application/json']?.schema
  const wrapped = answer?.properties?.data
  return [
    {
      ...{ id, method: method.toUpperCase(), path, summary, inPath: fieldsIn('path'), inQuery: fieldsIn('query') },
      body: body ? nameOf(typeOf(document, shapes, body, `${capital(id)}Body`)) : null,
      isIdempotent: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
      result: answer ? typeOf(document, shapes, wrapped ?? answer, `${capital(id)}Result`) : null,
      isWrapped: wrapped !== undefined,
    },
  ]
}

function nameOf(type: Type): string {
  if (type.kind !== 'named') throw new Error('a body is an object')
  return type.name
}

function typeOf(document: OpenApi, shapes: Map<string, Shape>, schema: Schema, name: string): Type {
  if (schema.$ref) {
    const own = schema.$ref.split('/').at(-1) ?? ''
    return typeOf(document, shapes, document.components.schemas[own] ?? {}, own)
  }
  const types = [schema.type ?? []].flat()
  const members = (schema.anyOf ?? types.map((type) => ({ ...schema, type }))).filter(({ type }) => type !== 'null')
  const isNullable = types.includes('null') || (schema.anyOf ?? []).some(({ type }) => type === 'null')
  const type = unionOf(document, shapes, members, name)
  return isNullable ? { kind: 'nullable', of: type } : type
}

/** The unions of this API: a decimal as number or text, a name or a number, one text or several. */
function unionOf(document: OpenApi, shapes: Map<string, Shape>, members: Schema[], name: string): Type {
  const [first, ...more] = members
  if (!first) return { kind: 'any' }
  if (more.length === 0) return plainType(document, shapes, first, name)
  const kinds = members.map(({ type }) => type)
  if (kinds.includes('array')) return { kind: 'list', of: { kind: 'text' } }
  if (kinds.includes('number')) return { kind: 'decimal' }
  return kinds.includes('string') ? { kind: 'text' } : { kind: 'any' }
}

function plainType(document: OpenApi, shapes: Map<string, Shape>, schema: Schema, name: string): Type {
  if (schema.$ref) return typeOf(document, shapes, schema, name)
  switch (schema.type) {
    case 'string':
      return { kind: 'text' }
    case 'number':
      return { kind: 'decimal' }
    case 'integer':
      return { kind: 'integer' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return { kind: 'list', of: typeOf(document, shapes, schema.items ?? {}, `${name}Item`) }
    default:
      return schema.properties ? shapeOf(document, shapes, schema, name) : { kind: 'any' }
  }
}

function shapeOf(document: OpenApi, shapes: Map<string, Shape>, schema: Schema, name: string): Type {
  if (!shapes.has(name)) {
    const shape: Shape = { name, fields: [] }
    shapes.set(name, shape)
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      shape.fields.push({
        name: field,
        type: typeOf(document, shapes, inner, `${name}${capital(camel(field))}`),
        isRequired: schema.required?.includes(field) ?? false,
        description: inner.description ?? '',
      })
    }
  }
  return { kind: 'named', name }
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** `swap_id` becomes `swapId`. */
export function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `swapId` becomes `swap_id`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
