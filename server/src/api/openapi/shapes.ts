/**
 * Turns the wire's zod schemas into JSON Schema: named ones become components, and meaningless machine bounds are
 * removed.
 */
import * as wire from '@causeway/sdk'
import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }

/** Exported resources and bodies by name. Queries and parameters are written out in place. */
const NAMES = new Map<z.ZodType, string>()
for (const [name, value] of Object.entries(wire)) {
  const isNamed = value instanceof z.ZodType && !/(Query|Params|Types)$/.test(name)
  if (isNamed && !NAMES.has(value)) NAMES.set(value, name)
}

/** The schemas' descriptions plus the names above. */
const metadata = Object.assign(z.registry<{ id?: string | undefined }>(), {
  get(schema: z.ZodType) {
    const id = NAMES.get(schema)
    const { id: _, ...described } = { id: undefined, ...z.globalRegistry.get(schema) }
    return id === undefined ? described : { ...described, id }
  },
})

/** Returns the schema, and adds the schemas that it references to `components`. */
export function shapeOf(schema: z.ZodType, io: 'input' | 'output', components: Map<string, JsonSchema>): JsonSchema {
  const made = z.toJSONSchema(schema, { metadata, io, unrepresentable: 'any', override: simplify })
  const { $schema, $defs, ...shape } = JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/'))
  for (const [name, part] of Object.entries<JsonSchema>($defs ?? {})) {
    const { id: _, ...rest } = part
    components.set(name, rest)
  }
  return shape
}

function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern
}
