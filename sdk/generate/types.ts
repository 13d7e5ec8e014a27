/**
 * Writes `sdk/src/types.ts`: the types of requests and responses as plain interfaces. Types that are inferred from zod
 * schemas cost the compiler of every user over a hundred megabytes; these cost a few.
 */
import { z } from 'zod'
import * as wire from '../src/wire.ts'

const HEADER = `/**
 * The types of requests and responses, without zod. Written from the schemas in \`wire/\` by \`npm run clients\`: do not edit.
 */
`
const WIDTH = 120

type Json = boolean | z.core.JSONSchema.BaseSchema

/** Names of parameters of the server's own handlers: clients pass them as arguments of a method. */
const SERVER_ONLY = /(Query|Params|Types|^Nothing)$/

const named = new Map<z.ZodType, string>()
for (const [name, schema] of Object.entries(wire)) {
  if (schema instanceof z.ZodType && !SERVER_ONLY.test(name) && !named.has(schema)) named.set(schema, name)
}

const registry = Object.assign(z.registry<{ id?: string | undefined }>(), {
  get(schema: z.ZodType) {
    const id = named.get(schema)
    const { id: _, ...described } = { id: undefined, ...z.globalRegistry.get(schema) }
    return id === undefined ? described : { ...described, id }
  },
})

export function writeTypes(): string {
  const parts = [...named].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([schema, name]) => writeType(schema, name))
  return `${HEADER}\n${parts.join('\n')}`
}

/** Writes a type: of a request body, what the caller sends; of everything else, what the service answers. */
function writeType(schema: z.ZodType, name: string): string {
  const io = name.endsWith('Body') ? 'input' : 'output'
  const { $defs, ...root } = z.toJSONSchema(schema, { metadata: registry, io, unrepresentable: 'any' })
  const found = $defs?.[name] ?? root
  const note = comment(found.description, '')
  return found.type === 'object' && found.properties
    ? `${note}export interface ${name} ${objectOf(found, '')}\n`
    : `${note}export type ${name} = ${typeOf(found, '')}\n`
}

function typeOf(schema: Json, indent: string): string {
  if (typeof schema === 'boolean') return 'unknown'
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const members = schema.anyOf ?? schema.oneOf
  if (members) return [...new Set(members.map((member) => typeOf(member, indent)))].join(' | ')
  // JSON Schema allows a list of types, which zod uses for nullable values.
  const types = schema.type as string | string[] | undefined
  if (Array.isArray(types)) {
    return types.map((type) => typeOf({ ...schema, type } as z.core.JSONSchema.BaseSchema, indent)).join(' | ')
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type
    case 'integer':
      return 'number'
    case 'array':
      return listOf(typeOf((schema.items as Json) ?? true, indent))
    case 'object':
      return objectOf(schema, indent)
    default:
      return 'unknown'
  }
}

function listOf(item: string): string {
  return /[ {]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

function objectOf({ properties, required = [], additionalProperties }: z.core.JSONSchema.BaseSchema, indent: string) {
  if (!properties) return `Record<string, ${typeOf(additionalProperties ?? true, indent)}>`
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, inner)
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`
    return `${typeof schema === 'object' ? comment(schema.description, inner) : ''}${inner}${field}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function comment(text: string | undefined, indent: string): string {
  if (!text) return ''
  const oneLine = `${indent}/** ${text} */\n`
  if (oneLine.length <= WIDTH) return oneLine
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (`${indent} * ${last} ${word}`.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}
