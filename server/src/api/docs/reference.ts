/** The reference: every call, webhook and schema, rendered from the OpenAPI document alone. */

import { html, type Markup } from '../http/html.ts'
import { drawCall, linkTo, type Made } from './call.ts'
import { drawFields, typeOf } from './fields.ts'
import { inline } from './markdown.ts'
import type { Document } from './openapi.ts'
import type { Entry, Page } from './page.ts'
import type { SubstituteHost } from './substitute-host.ts'

export function drawReference(document: Document, retell: SubstituteHost): Page {
  const calls = madeIn(document.paths)
  const delivered = madeIn(document.webhooks)
  const schemas = Object.entries(document.components.schemas)
  const body = html`<h1>Reference</h1>
    <p>${inline(document.info.description, linkTo)} The document itself: <a href="/openapi.json">openapi.json</a>.</p>
    <h2 id="keys">Keys</h2>
    <p>A key goes into <code>X-LS-APIKEY</code> and is optional.</p>
    <dl>${Object.entries(document.components.securitySchemes).map(
      ([name, { description }]) =>
        html`<dt>${name === 'SecretKey' ? 'Secret' : 'Public'}</dt><dd>${inline(description, linkTo)}</dd>`,
    )}</dl>
    ${document.tags.map(({ name, description }) => drawTag(name, description, calls, document, retell))}
    <h2 id="deliveries">What webhooks are sent</h2>
    ${delivered.map((call) => drawDelivery(call, document))}
    <h2 id="schemas">Shapes</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<details id="schema-${name}"><summary><code>${name}</code></summary>${
          schema.description && html`<p>${inline(schema.description, linkTo)}</p>`
        }${schema.properties ? drawFields(schema) : html`<p>${typeOf(schema)}</p>`}</details>`,
    )}`
  return { title: 'Reference', body, contents: contentsOf(document, calls) }
}

function drawTag(name: string, description: string, calls: Made[], document: Document, retell: SubstituteHost): Markup {
  const here = calls.filter(({ tags }) => tags.includes(name))
  return html`<h2 id="${name.toLowerCase()}">${name}</h2><p>${inline(description, linkTo)}</p>${here.map((call) =>
    drawCall(call, document, retell),
  )}`
}

/** We make this call ourselves, so it has no curl command. */
function drawDelivery(call: Made, document: Document): Markup {
  const [example] = Object.values(call.requestBody?.content['application/json']?.examples ?? {})
  const value = example?.$ref
    ? document.components.examples[example.$ref.split('/').at(-1) ?? '']?.value
    : example?.value
  return html`<article id="${call.operationId}"><h3>${call.summary}</h3>${call.description
    .split('\n\n')
    .map((text) => html`<p>${inline(text, linkTo)}</p>`)}
    <dl>${call.parameters.map(
      ({ name, description = '', example: shown }) =>
        html`<dt><code>${name}</code></dt><dd>${inline(description, linkTo)} ${
          shown === undefined ? '' : html`<code class="long">${String(shown)}</code>`
        }</dd>`,
    )}</dl>
    <details><summary>Example of a body</summary><div class="code"><pre tabindex="0" role="group" aria-label="Example of a body"><code>${JSON.stringify(value, null, 2)}</code></pre></div></details></article>`
}

function madeIn(paths: Document['paths']): Made[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ method, path, ...call })),
  )
}

function contentsOf({ tags }: Document, calls: Made[]): Entry[] {
  const sections = tags.map(({ name }) => ({
    href: `#${name.toLowerCase()}`,
    name,
    inside: calls
      .filter((call) => call.tags.includes(name))
      .map(({ operationId, method, path }) => ({
        href: `#${operationId}`,
        name: `${method.toUpperCase()} ${path.replace('/api/v2', '')}`,
      })),
  }))
  return [
    { href: '#keys', name: 'Keys' },
    ...sections,
    { href: '#deliveries', name: 'What webhooks are sent' },
    { href: '#schemas', name: 'Shapes' },
  ]
}
