/** Renders the document's examples by name. A long value that is used several times is written once and referenced. */
import type { Example, Examples } from './examples.ts'
import type { JsonSchema } from './shapes.ts'

export interface ExampleRenderer {
  one(summary: string, value: unknown): JsonSchema
  /** The field `examples`; empty without examples. A request and its response share a name. */
  all(examples: Example[], valueIn: (example: Example) => unknown): JsonSchema
  /** The values that are written once, by name. */
  shared: Record<string, JsonSchema>
}

/** A value up to this length may be repeated. */
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
  const values = Object.values(examples)
    .flat()
    .flatMap(({ summary, request, status, answer }) =>
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
