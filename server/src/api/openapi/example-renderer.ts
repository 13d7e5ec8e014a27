/** Examples as the document shows them: by name, and a long value that stands in several places is written once. */
import type { Example, Examples } from './examples.ts'
import { OPERATIONS } from './operations.ts'
import type { JsonSchema } from './shapes.ts'

export interface ExampleRenderer {
  one(summary: string, value: unknown): JsonSchema
  /** As the field `examples`; nothing where there are none. A request and its answer go by the same name. */
  all(examples: Example[], valueIn: (example: Example) => unknown): JsonSchema
  /** The values that are written once, by their names. */
  shared: Record<string, JsonSchema>
}

/** What is no longer than this may be written twice. */
const SHORT = 300

export function createExampleRenderer(examples: Examples): ExampleRenderer {
  const names = repeatedIn(examples)
  const one = (summary: string, value: unknown): JsonSchema => {
    const name = names.get(JSON.stringify(value))
    return name === undefined ? { summary, value } : { summary, $ref: `#/components/examples/${name}` }
  }
  return {
    one,
    all(own, valueIn) {
      if (own.length === 0) return {}
      const named = own.map((example) => [nameOf(example.summary), one(example.summary, valueIn(example))])
      return { examples: Object.fromEntries(named) }
    },
    shared: Object.fromEntries([...names].map(([text, name]) => [name, { value: JSON.parse(text) }])),
  }
}

function repeatedIn(examples: Examples): Map<string, string> {
  const aliased = Object.values(OPERATIONS).flatMap(({ aliasOf }) => (aliasOf ? (examples[aliasOf] ?? []) : []))
  const values = [...Object.values(examples).flat(), ...aliased].flatMap(({ summary, request, status, answer }) =>
    [request.body, status === 200 ? answer : undefined].map((value) => ({
      summary,
      text: JSON.stringify(value) ?? '',
    })),
  )
  const found = new Map<string, string>()
  const seen = new Set<string>()
  for (const { summary, text } of values) {
    if (seen.has(text) && text.length > SHORT && !found.has(text)) found.set(text, nameOf(summary))
    seen.add(text)
  }
  return found
}

function nameOf(summary: string): string {
  return (
    summary
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? 'example'
  )
}
