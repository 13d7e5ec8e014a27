/** Writes the generated part of the Python client: a TypedDict per shape and a method per operation. */
import { type Field, type Model, type Operation, snake, type Type } from './model.ts'

const HEADER = `"""The calls and types of the API. Generated from the OpenAPI document by \`npm run clients\`: do not edit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NotRequired, Optional, Sequence, TypedDict, Union

from .transport import Transport

#: Whole numbers arrive as int, all others as Decimal. Both are exact, and so is arithmetic between them.
Number = Union[int, Decimal]
`

export function writePython({ shapes, operations, eventTypes }: Model): string {
  const types = shapes.map(({ name, fields }) => {
    if (fields.some((field) => KEYWORDS.includes(field.name))) return writeByName(name, fields)
    const lines = fields.map((field) => `    ${field.name}: ${fieldType(field)}${comment(field)}`)
    return `class ${name}(TypedDict):\n${lines.length > 0 ? lines.join('\n') : '    pass'}\n`
  })
  const methods = operations.map(writeMethod)
  const events = `#: The types of webhook events about swaps.\nSwapEventType = Literal[\n${eventTypes.map((type) => `    "${type}",\n`).join('')}]\n`
  return `${HEADER}\n${events}\n\n${types.join('\n\n')}\n\nclass Api(Transport):\n    """One method per call. Failures raise \`CausewayError\`."""\n\n${methods.join('\n')}`
}

/** Field names that are Python keywords. */
const KEYWORDS = ['from', 'import', 'class', 'is', 'in', 'not', 'or', 'and', 'if', 'for', 'pass', 'return', 'global']

/**
 * A TypedDict in its functional form, whose fields may have any name. Its types are text, because they may be defined
 * later.
 */
function writeByName(name: string, fields: Field[]): string {
  const lines = fields.map((field) => `        "${field.name}": "${fieldType(field)}",${comment(field)}`)
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n)\n`
}

function fieldType({ type, isRequired }: Field): string {
  return isRequired ? typeText(type) : `NotRequired[${typeText(type)}]`
}

function comment({ description }: Field): string {
  return description ? `  # ${description.replaceAll(/\s+/g, ' ')}` : ''
}

function typeText(type: Type): string {
  switch (type.kind) {
    case 'text':
      return 'str'
    case 'decimal':
      return 'Number'
    case 'integer':
      return 'int'
    case 'boolean':
      return 'bool'
    case 'any':
      return 'Any'
    case 'list':
      return `list[${typeText(type.of)}]`
    case 'nullable':
      return `Optional[${typeText(type.of)}]`
    case 'named':
      return type.name
  }
}

/** The type of a parameter: callers may pass a decimal as text, too. */
function givenText(type: Type): string {
  if (type.kind === 'decimal') return 'Union[Number, str]'
  return type.kind === 'list' ? `Sequence[${typeText(type.of)}]` : typeText(type)
}

function writeMethod(operation: Operation): string {
  const { id, method, path, summary, inPath, inQuery, body, isIdempotent, result, isWrapped } = operation
  const query = [...inQuery].sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
  const named = query.map(({ name, type, isRequired }) =>
    isRequired ? `${name}: ${givenText(type)}` : `${name}: Optional[${givenText(type)}] = None`,
  )
  const keywords = [...named, ...(isIdempotent ? ['idempotency_key: Optional[str] = None'] : [])]
  const parameters = [
    'self',
    ...inPath.map(({ name }) => `${snake(name)}: str`),
    ...(body ? [`body: ${body}`] : []),
    ...(keywords.length > 0 ? ['*', ...keywords] : []),
  ]
  const given = [
    `"${method}"`,
    `"${path}"`,
    ...(inPath.length > 0
      ? [`path_parameters={${inPath.map(({ name }) => `"${name}": ${snake(name)}`).join(', ')}}`]
      : []),
    ...(query.length > 0 ? [`query={${query.map(({ name }) => `"${name}": ${name}`).join(', ')}}`] : []),
    ...(body ? ['body=body'] : []),
    ...(isIdempotent ? ['idempotency_key=idempotency_key or self.new_key()'] : []),
    ...(isWrapped || !result ? [] : ['is_wrapped=False']),
  ]
  const type = result ? typeText(result) : 'None'
  return `    def ${snake(id)}(\n${parameters.map((one) => `        ${one},`).join('\n')}\n    ) -> ${type}:\n        """${summary}"""\n        return self.call(${given.join(', ')})\n`
}
