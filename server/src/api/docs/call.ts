/** Renders one API call: its purpose, a curl command, parameters, responses and errors. */

import { html, type Markup } from '../http/html.ts'
import { drawFields, typeOf } from './fields.ts'
import { codeBlock, inline } from './markdown.ts'
import { type Answer, type Call, type Document, type Media, nameIn, type Parameter, type Shown } from './openapi.ts'
import { type Snippet, snippetsOf } from './snippets.ts'
import type { SubstituteHost } from './substitute-host.ts'

/** Placeholder for this server's address, replaced when a page is sent. */
export const HERE = 'http://localhost:8080'
const KEY_LINE = "-H 'X-LS-APIKEY: <API_KEY>'"
const NO_LINKS = () => null

export interface Made extends Call {
  method: string
  path: string
}

export function drawCall(call: Made, document: Document, retell: SubstituteHost): Markup {
  const { operationId, method, path, summary, description } = call
  const parameters = call.parameters.map((given) => document.components.parameters[nameIn(given.$ref ?? '')] ?? given)
  const body = call.requestBody?.content['application/json']
  const { url, body: sent, ...made } = requestOf(call, parameters, body, document)
  const request = { ...made, url: retell(url), body: sent === null ? null : retell(sent) }
  return html`<article id="${operationId}" aria-labelledby="${operationId}-name">
    <h3 id="${operationId}-name"><span class="method ${method}">${method.toUpperCase()}</span> <span class="path">${path}</span></h3>
    <p class="summary">${summary}</p>
    ${description.split('\n\n').map((text) => html`<p>${inline(text, linkTo)}</p>`)}
    ${needsSecretKey(call) && html`<p class="notice">Needs the app’s secret key.</p>`}
    <div class="try" data-method="${method.toUpperCase()}" data-url="${request.url}" data-body="${request.body ?? ''}">${codeBlock(curlOf(request), 'sh curl')}</div>
    ${drawSnippets(callSnippets(call, document), retell)}
    ${parameters.length > 0 && drawParameters(parameters)}
    ${body && html`<details><summary>Fields of the body</summary>${drawFields(shapeOf(body, document))}</details>${drawExamples(body, document, 'Body')}`}
    ${drawAnswers(call, document)}
    ${drawFailures(call, document)}
  </article>`
}

/** The recorded request in the other languages. */
export function callSnippets(call: Made, document: Document): Snippet[] {
  const parameters = call.parameters.map((given) => document.components.parameters[nameIn(given.$ref ?? '')] ?? given)
  const [example] = Object.values(call.requestBody?.content['application/json']?.examples ?? {})
  const body = example ? (shownIn(example, document) as Record<string, unknown>) : null
  return snippetsOf({ call, base: HERE, parameters, body, needsKey: needsSecretKey(call) })
}

/** Renders the snippets: folded without JavaScript; with it they become tabs. */
function drawSnippets(snippets: readonly Snippet[], retell: SubstituteHost): Markup {
  return html`<div class="languages">${snippets.map(
    ({ language, code }) =>
      html`<details data-language="${language}"><summary>${language}</summary>${codeBlock(retell(code), language)}</details>`,
  )}</div>`
}

/** The target of a link; null unless it is absolute. */
export function linkTo(href: string): string | null {
  return href.startsWith('https://') ? href : null
}

interface Request {
  method: string
  url: string
  needsKey: boolean
  headers: string[]
  body: string | null
}

/** The request of the call's first example. */
function requestOf(call: Made, parameters: readonly Parameter[], body: Media | undefined, document: Document): Request {
  const given = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const path = given('path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example ?? `{${name}}`))),
    call.path,
  )
  const query = new URLSearchParams(
    given('query').flatMap(({ name, example }) => (example === undefined ? [] : [[name, String(example)]])),
  )
  const [example] = Object.values(body?.examples ?? {})
  return {
    method: call.method.toUpperCase(),
    url: `${path}${query.size > 0 ? `?${query}` : ''}`,
    needsKey: needsSecretKey(call),
    headers: parameters.some(({ name }) => name === 'Idempotency-Key') ? ["-H 'Idempotency-Key: order-1234'"] : [],
    body: example ? JSON.stringify(shownIn(example, document), null, 2) : null,
  }
}

function curlOf({ method, url, needsKey, headers, body }: Request): string {
  const isPlain = method === 'GET' || (method === 'POST' && body !== null)
  const parts = [
    `curl -s${isPlain ? '' : ` -X ${method}`} ${quoted(`${HERE}${url}`)}`,
    ...(needsKey ? [KEY_LINE] : []),
    ...headers,
    ...(body === null ? [] : ["-H 'content-type: application/json'", `-d ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function needsSecretKey({ security }: Call): boolean {
  return security?.length === 1 && 'SecretKey' in (security[0] ?? {})
}

function drawParameters(parameters: readonly Parameter[]): Markup {
  const places = { path: 'in the path', query: 'in the query', header: 'a header' }
  return html`<h4>Parameters</h4><div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table class="narrow"><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${parameters.map(
    ({ name, in: place, required, schema, description = '' }) =>
      html`<tr><th scope="row"><code>${name}</code><span class="soft">${places[place as keyof typeof places]}${required ? html`, <strong class="needed">required</strong>` : ''}</span></th><td>${typeOf(schema)}</td><td>${inline(description, NO_LINKS)}</td></tr>`,
  )}</tbody></table></div>`
}

function drawAnswers({ responses }: Call, document: Document): Markup {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return html`${good.map(([status, { description, content = {} }]) => {
    const [[type, media] = []] = Object.entries(content)
    const isJson = type === 'application/json' && media !== undefined
    return html`<h4>Response ${status}</h4>${media ? '' : html`<p>${inline(description, NO_LINKS)}</p>`}${
      isJson ? html`<details><summary>Response fields</summary>${drawFields(shapeOf(media, document))}</details>` : ''
    }${media ? drawExamples(media, document, 'Example') : ''}`
  })}`
}

function drawFailures({ responses }: Call, document: Document): Markup {
  const bad = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, given]): [string, Answer] => [
      status,
      document.components.responses[nameIn(given.$ref ?? '')] ?? given,
    ])
  const rows = bad.flatMap(([status, { description }]) =>
    description.split('\n\n').map((line) => {
      const [, code = '', meaning = line] = /^`([A-Z_]+)`: (.*)$/s.exec(line) ?? []
      return html`<tr><td>${status}</td><th scope="row"><code>${code}</code></th><td>${inline(meaning, NO_LINKS)}</td></tr>`
    }),
  )
  if (rows.length === 0) return html``
  return html`<details><summary>Errors</summary><div class="scroll" tabindex="0" role="group" aria-label="Failures"><table class="narrow"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>${bad.map(
    ([, { content = {} }]) => Object.values(content).map((media) => drawExamples(media, document, 'Example')),
  )}</details>`
}

function drawExamples({ examples = {} }: Media, document: Document, what: string): Markup {
  return html`${Object.values(examples).map((example) => {
    const summary = example.summary ?? document.components.examples[nameIn(example.$ref ?? '')]?.summary ?? ''
    const value = shownIn(example, document)
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return html`<details><summary>${what}: ${summary}</summary>${codeBlock(text, `json ${what}: ${summary}`)}</details>`
  })}`
}

function shownIn(example: Shown, { components }: Document): unknown {
  return example.$ref ? components.examples[nameIn(example.$ref)]?.value : example.value
}

/** The body's schema; a named one is written out in place. */
function shapeOf({ schema }: Media, { components }: Document) {
  return components.schemas[nameIn(schema.$ref ?? '')] ?? schema
}
