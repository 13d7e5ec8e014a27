/** Renders the fields of a schema as a list: named schemas are linked, others are written out in place. */
import { html, type Markup } from '../http/html.ts'
import { inline } from './markdown.ts'
import { nameIn, type Schema } from './openapi.ts'

const NO_LINKS = () => null

export function drawFields(schema: Schema): Markup {
  const shape = schema.type === 'array' && schema.items ? schema.items : schema
  if (!shape.properties) return html`<p>${typeOf(schema)}</p>`
  const rows = Object.entries(shape.properties).map(([name, field]) =>
    drawField(name, field, shape.required?.includes(name) ?? false),
  )
  return html`<ul class="fields">${rows}</ul>`
}

function drawField(name: string, field: Schema, isRequired: boolean): Markup {
  const inner = innerOf(field)
  const words = field.description ?? inner?.description
  return html`<li><code class="name">${name}</code> <span class="type">${typeOf(field)}</span>${
    isRequired ? '' : html` <span class="soft">may be absent</span>`
  }${words ? html`<span class="words">${inline(words, NO_LINKS)}</span>` : ''}${inner ? drawFields(inner) : ''}</li>`
}

/** The unnamed object inside a field: itself, one of its choices, or its list items. */
function innerOf(field: Schema): Schema | null {
  if (field.properties) return field
  if (field.items) return innerOf(field.items)
  for (const choice of field.anyOf ?? []) {
    const inner = innerOf(choice)
    if (inner) return inner
  }
  return null
}

export function typeOf(schema: Schema): Markup {
  if (schema.$ref) {
    const name = nameIn(schema.$ref)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return joined(choices.map(typeOf))
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  if (schema.enum) return joined(schema.enum.map((value) => html`<code>${String(value)}</code>`))
  if (schema.type === 'array') return html`list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  if (typeof schema.type === 'object') return joined(schema.type.map((type) => html`${type}`))
  const format = schema.format ? ` (${schema.format})` : ''
  return html`${schema.type ?? 'anything'}${format}`
}

function joined(parts: readonly Markup[]): Markup {
  return html`${parts.map((part, at) => html`${at === 0 ? '' : ' or '}${part}`)}`
}
