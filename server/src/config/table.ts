/** A table of environment variables: each row has the name of a parsed field, the variable that sets it and the parser. */
import type { z } from 'zod'
import type { Settings } from './file.ts'

/** Rows by field. The field's name ends with the unit of the parsed value; the variable's name is for the operator. */
export type VariableTable = Record<string, [variable: string, parser: z.ZodType]>

export type FieldsOf<T extends VariableTable> = { -readonly [Field in keyof T]: z.output<T[Field][1]> }

/** `fields` is null if any variable has a problem; `readable` then has the valid ones. */
export function parseTable<T extends VariableTable>(
  table: T,
  env: Settings,
): { fields: FieldsOf<T> | null; readable: Partial<FieldsOf<T>>; problems: string[] } {
  const problems: string[] = []
  const readable: Record<string, unknown> = {}
  for (const [field, [variable, parser]] of Object.entries(table)) {
    const { success, data, error } = parser.safeParse(env[variable])
    if (success) readable[field] = data
    else problems.push(...error.issues.map(({ path, message }) => `${[variable, ...path].join('.')}: ${message}`))
  }
  const fields = readable as FieldsOf<T>
  return { fields: problems.length === 0 ? fields : null, readable: fields, problems }
}
