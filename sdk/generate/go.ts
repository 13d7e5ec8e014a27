/** Writes the generated part of the Go client: a struct per shape and a method per operation. */
import { camel, capital, type Field, type Model, type Operation, type Shape, type Type } from './model.ts'

const HEADER = `// Code generated from the OpenAPI document by "npm run clients". DO NOT EDIT.

package causeway

import (
	"context"
	"net/url"
)
`

export function writeGo({ shapes, operations, eventTypes }: Model): string {
  const parts = [writeEventTypes(eventTypes), ...shapes.map(writeShape), ...operations.map(writeMethod)]
  return `${HEADER}\n${parts.join('\n')}`
}

function writeEventTypes(types: string[]): string {
  const rows = types.map((type) => ({ comment: '', cells: [`Event${goName(type.replace('.', '_'))}`, `= "${type}"`] }))
  return `// The types of webhook events about swaps.\nconst (\n${aligned(rows)})\n`
}

function writeShape({ name, fields }: Shape): string {
  const rows = fields.map((field) => {
    const tag = `\`json:"${field.name}${field.isRequired ? '' : ',omitempty'}"\``
    return { comment: commentLine(field), cells: [goName(field.name), fieldType(field), tag] }
  })
  return `// ${name} is a shape of the API.\ntype ${name} struct {\n${aligned(rows)}}\n`
}

interface Row {
  comment: string
  cells: string[]
}

/** The lines of a struct as gofmt writes them: aligned in columns; a comment starts new columns. */
function aligned(rows: Row[]): string {
  const groups: Row[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && !row.comment) last.push(row)
    else groups.push([row])
  }
  return groups.map(alignedGroup).join('')
}

function alignedGroup(rows: Row[]): string {
  const widths = rows[0]?.cells.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  const line = ({ comment, cells }: Row) =>
    `${comment}\t${cells.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join(' ')}`.trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}

function commentLine({ name, description }: Field): string {
  return description ? `\t// ${goName(name)}: ${description.replaceAll(/\s+/g, ' ')}\n` : ''
}

/** The Go type of a field. An optional field that is empty is omitted, so it needs no pointer. */
function fieldType({ type, isRequired }: Field): string {
  return goType(!isRequired && type.kind === 'nullable' && isPlain(type.of) ? type.of : type)
}

function isPlain({ kind }: Type): boolean {
  return kind === 'text' || kind === 'decimal' || kind === 'boolean' || kind === 'integer'
}

function goType(type: Type): string {
  switch (type.kind) {
    case 'text':
      return 'string'
    case 'decimal':
      return 'Decimal'
    case 'integer':
      return 'int64'
    case 'boolean':
      return 'bool'
    case 'any':
      return 'interface{}'
    case 'list':
      return `[]${goType(type.of)}`
    case 'nullable':
      return type.of.kind === 'any' || type.of.kind === 'list' ? goType(type.of) : `*${goType(type.of)}`
    case 'named':
      return type.name
  }
}

const INITIALISMS: Record<string, string> = { Id: 'ID', Url: 'URL', Usd: 'USD' }

function goName(name: string): string {
  const words = capital(camel(name)).split(/(?=[A-Z])/)
  return words.map((word) => INITIALISMS[word] ?? word).join('')
}

function argument(name: string): string {
  const exported = goName(name)
  return exported.charAt(0).toLowerCase() + exported.slice(1)
}

function writeMethod(operation: Operation): string {
  const { id, method, path, summary, inPath, inQuery, body, isIdempotent, result, isWrapped } = operation
  const name = goName(id)
  const params = inQuery.length > 0 ? `${writeShape({ name: `${name}Params`, fields: inQuery })}\n` : ''
  const parameters = [
    'ctx context.Context',
    ...inPath.map((field) => `${argument(field.name)} string`),
    ...(body ? [`body ${body}`] : []),
    ...(inQuery.length > 0 ? [`params ${name}Params`] : []),
    ...(isIdempotent ? ['idempotencyKey string'] : []),
  ]
  const place = inPath.reduce(
    (text, field) => text.replace(`{${field.name}}`, `" + url.PathEscape(${argument(field.name)}) + "`),
    `"${path}"`,
  )
  const query = inQuery.map((field) => `\t${setter(field)}(query, "${field.name}", params.${goName(field.name)})`)
  const request = [
    `method: "${method}"`,
    `path: ${place.replace(/ \+ ""$/, '')}`,
    'query: query',
    ...(body ? ['body: body'] : []),
    ...(isIdempotent ? ['idempotencyKey: keyOrNew(idempotencyKey)'] : []),
    ...(isWrapped || !result ? [] : ['isBare: true']),
  ]
  const key = isIdempotent ? ' An empty idempotency key stands for a new one.' : ''
  const head = `// ${name}: ${summary}.${key}\nfunc (c *Client) ${name}(${parameters.join(', ')})`
  const lines = ['\tquery := url.Values{}', ...query]
  const call = `request{${request.join(', ')}}`
  if (!result) return `${params}${head} error {\n${lines.join('\n')}\n\treturn c.call(ctx, ${call}, nil)\n}\n`
  const type = goType(result)
  const [returned, value] = result.kind === 'list' ? [type, 'result'] : [`*${type}`, '&result']
  const tail = `\tvar result ${type}\n\tif err := c.call(ctx, ${call}, &result); err != nil {\n\t\treturn nil, err\n\t}\n\treturn ${value}, nil`
  return `${params}${head} (${returned}, error) {\n${[...lines, tail].join('\n')}\n}\n`
}

function setter({ type }: Field): string {
  const inner = type.kind === 'nullable' ? type.of : type
  switch (inner.kind) {
    case 'list':
      return 'setList'
    case 'boolean':
      return 'setBool'
    case 'integer':
      return 'setInt'
    case 'decimal':
      return 'setDecimal'
    default:
      return 'setText'
  }
}
