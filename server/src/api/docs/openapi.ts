/** The parts of the OpenAPI document that the reference reads. */

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  default?: unknown
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  additionalProperties?: Schema | boolean
}

export interface Shown {
  summary?: string
  value?: unknown
  $ref?: string
}

export interface Media {
  schema: Schema
  examples?: Record<string, Shown>
}

export interface Answer {
  $ref?: string
  description: string
  content?: Record<string, Media>
}

export interface Parameter {
  $ref?: string
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Call {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  parameters: readonly Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
  security?: readonly object[]
}

export interface Document {
  info: { description: string; version: string }
  tags: readonly { name: string; description: string }[]
  paths: Record<string, Record<string, Call>>
  webhooks: Record<string, Record<string, Call>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, Answer>
    examples: Record<string, Shown>
    securitySchemes: Record<string, { description: string }>
  }
}

/** The last segment of a reference. */
export function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}
