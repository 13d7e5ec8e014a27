/**
 * Renders the OpenAPI 3.1 document as 3.0.3, for generators that know nothing newer. What 3.0 cannot express is widened,
 * never narrowed: a client made from it accepts everything that the service sends.
 */
import type { JsonSchema } from './shapes.ts'

/** Names of schemas that are referenced where null is allowed, too. */
type Nullables = Set<string>

export function downConvert(document: JsonSchema): JsonSchema {
  const { webhooks, ...rest } = document
  const info = document.info as JsonSchema
  const nullables: Nullables = new Set()
  const converted = convertNode(rest, nullables) as JsonSchema & { components: { schemas: Record<string, JsonSchema> } }
  // 3.0 does not support webhooks, so they become an extension, which tools ignore.
  const extension = { 'x-webhooks': convertNode(webhooks, nullables) }
  const { schemas } = converted.components
  for (const name of [...nullables].sort()) schemas[nullableName(name)] = { ...schemas[name], nullable: true }
  const used = JSON.stringify({ converted, extension })
  // If all references allow null, only the nullable copy is needed.
  for (const name of nullables) if (!used.includes(`"#/components/schemas/${name}"`)) delete schemas[name]
  const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' }
  return { ...converted, ...extension, openapi: '3.0.3', info: { ...info, license } }
}

/** The name of a nullable copy: in 3.0 a reference cannot be nullable. */
function nullableName(name: string): string {
  return `Nullable${name}`
}

/** Copies everything unchanged except schemas, which it converts. Examples may hold any JSON and are left alone. */
function convertNode(node: unknown, nullables: Nullables): unknown {
  if (Array.isArray(node)) return node.map((item) => convertNode(item, nullables))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'value' || key === 'example') return [key, value]
      if (key === 'schema') return [key, convertSchema(value, nullables)]
      if (key === 'schemas') return [key, mapValues(value, (one) => convertSchema(one as JsonSchema, nullables))]
      return [key, convertNode(value, nullables)]
    }),
  )
}

function convertSchema(schema: JsonSchema, nullables: Nullables): JsonSchema {
  const { $ref, type, anyOf, const: only, contentEncoding, propertyNames, ...rest } = schema
  const inner = convertInside(rest, nullables)
  if ($ref !== undefined) return Object.keys(rest).length === 0 ? { $ref } : { ...inner, allOf: [{ $ref }] }
  if (Array.isArray(anyOf)) return convertUnion(anyOf, inner, nullables)
  if (Array.isArray(type)) return convertUnion(splitTypes(type, rest), describedBy(inner), nullables)
  return {
    ...(type !== undefined && { type }),
    ...inner,
    ...(only !== undefined && { enum: [only] }),
    ...(contentEncoding === 'base64' && { format: 'byte' }),
  }
}

function convertInside(schema: JsonSchema, nullables: Nullables): JsonSchema {
  const convert = (one: unknown) => convertSchema(one as JsonSchema, nullables)
  return mapEntries(schema, (key, value) => {
    if (key === 'properties') return mapValues(value, convert)
    if (key === 'oneOf' || key === 'allOf') return (value as unknown[]).map(convert)
    const isSchema = key === 'items' || key === 'additionalProperties' || key === 'not'
    return isSchema && typeof value === 'object' ? convert(value) : value
  })
}

/** Converts a union. `null` among the members becomes `nullable`, which 3.0 allows only beside a type. */
function convertUnion(members: JsonSchema[], around: JsonSchema, nullables: Nullables): JsonSchema {
  const isNullable = members.some(({ type }) => type === 'null')
  const others = members.filter(({ type }) => type !== 'null').map((member) => convertSchema(member, nullables))
  const nullable = isNullable ? { nullable: true } : {}
  const [first = {}, ...more] = others
  if (more.length > 0) {
    return { ...around, anyOf: isNullable ? others.map((member) => ({ ...member, nullable: true })) : others }
  }
  if (typeof first.$ref !== 'string') return { ...first, ...around, ...nullable, ...nullableEnum(first, isNullable) }
  const $ref = isNullable ? nullableReference(first.$ref, nullables) : first.$ref
  if (Object.keys(around).length === 0) return { $ref }
  // Some validators look for `nullable` here, too; it needs a type, and every schema that is referenced so is an object.
  return { ...around, ...(isNullable && { type: 'object', ...nullable }), allOf: [{ $ref }] }
}

function nullableEnum({ enum: values }: JsonSchema, isNullable: boolean): JsonSchema {
  return isNullable && Array.isArray(values) ? { enum: [...values, null] } : {}
}

function nullableReference(reference: string, nullables: Nullables): string {
  const at = reference.lastIndexOf('/') + 1
  const name = reference.slice(at)
  nullables.add(name)
  return reference.slice(0, at) + nullableName(name)
}

/** Splits a list of types into one schema per type, each with the rules that apply to it. */
function splitTypes(types: string[], rules: JsonSchema): JsonSchema[] {
  return types.map((type) => {
    if (type === 'null') return { type }
    const own = Object.entries(rules).filter(([key]) => key !== 'description' && key !== 'default')
    return { type, ...Object.fromEntries(own.filter(([key]) => isRuleOf(type, key))) }
  })
}

function isRuleOf(type: string, key: string): boolean {
  const ofText = ['pattern', 'minLength', 'maxLength', 'format'].includes(key)
  const ofNumber = ['minimum', 'maximum', 'multipleOf'].includes(key)
  return (!ofText || type === 'string') && (!ofNumber || type === 'number' || type === 'integer')
}

function describedBy({ description, default: preset }: JsonSchema): JsonSchema {
  return { ...(description !== undefined && { description }), ...(preset !== undefined && { default: preset }) }
}

function mapValues(record: unknown, change: (value: unknown) => unknown): JsonSchema {
  return mapEntries(record as JsonSchema, (_key, value) => change(value))
}

function mapEntries(record: JsonSchema, change: (key: string, value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))
}
