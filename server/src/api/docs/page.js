/** The page of /docs: reads openapi.json and draws every call with its parameters, its answer and a form to try it. */

const openapi = await (await fetch('/openapi.json')).json()
const $ = (id) => document.getElementById(id)
/** Values that work in the sandbox and read well elsewhere. */
const EXAMPLES = {
  source_network: 'ETHEREUM_SEPOLIA',
  source_token: 'ETH',
  destination_network: 'BASE_SEPOLIA',
  destination_token: 'USDC',
  destination_address: '0x000000000000000000000000000000000000c0de',
  amount: 0.1,
}

$('description').append(...prose(openapi.info.description))
const calls = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ path, method, ...call })),
)
$('calls').replaceChildren()
for (const { name } of openapi.tags) {
  const here = calls.filter(({ tags }) => tags.includes(name))
  if (here.length === 0) continue
  $('menu').append(el('h3', {}, name), ...here.map(menuItem))
  $('calls').append(el('h2', {}, name), ...here.map(card))
}
for (const [name, shape] of Object.entries(openapi.components.schemas)) {
  const tree = el('div', { class: 'inside' }, ...fieldsOf(shape))
  const title = el('summary', {}, el('span', { class: 'name' }, name))
  $('shapes').append(el('article', { id: `schema-${name}` }, el('details', {}, title, tree)))
}
$('search').addEventListener('input', ({ target }) => {
  const wanted = target.value.toLowerCase()
  for (const item of document.querySelectorAll('nav a.call'))
    item.hidden = !item.textContent.toLowerCase().includes(wanted)
})
addEventListener('hashchange', openNamed)
openNamed()

function openNamed() {
  const named = $(decodeURIComponent(location.hash.slice(1)))
  const details = named?.querySelector('details')
  if (!details) return
  details.open = true
  named.scrollIntoView()
}

function menuItem({ method, path, operationId }) {
  const shown = path.replace('/api/v2', '')
  return el('a', { class: 'call', href: `#${operationId}` }, badge(method), el('span', {}, shown))
}

function badge(method) {
  return el('span', { class: `method ${method}` }, method.toUpperCase())
}

function card(call) {
  const { method, path, summary, operationId } = call
  const head = el(
    'summary',
    {},
    badge(method),
    el('span', { class: 'path' }, path),
    el('span', { class: 'what' }, summary),
  )
  const details = el('details', {}, head)
  // Drawn when it is opened first: the page stays light.
  details.addEventListener(
    'toggle',
    () => details.open && details.children.length === 1 && details.append(inside(call)),
  )
  return el('article', { id: operationId }, details)
}

function inside(call) {
  const inputs = new Map()
  const box = el('div', { class: 'inside' })
  if (call.parameters.length > 0) {
    const rows = call.parameters.map((parameter) => parameterRow(parameter, inputs))
    box.append(el('h4', {}, 'Parameters'), el('table', { class: 'fields' }, ...rows))
  }
  const bodyShape = call.requestBody?.content['application/json'].schema
  const body = bodyShape && el('textarea', { 'aria-label': 'Body', spellcheck: 'false' })
  if (body) {
    body.value = JSON.stringify(exampleOf(bodyShape), null, 2)
    box.append(el('h4', {}, 'Body'), body, fold('Fields of the body', fieldsOf(bodyShape)))
  }
  const [type, answer] = Object.entries(call.responses[200].content)[0]
  const shape = answer.schema
  box.append(...tryIt(call, inputs, body))
  box.append(el('h4', {}, 'Answer'))
  box.append(type === 'application/json' ? el('div', {}, ...fieldsOf(shape)) : el('p', { class: 'small' }, type))
  return box
}

function parameterRow({ name, required, description, schema, in: place }, inputs) {
  const input = inputFor(schema, name)
  inputs.set(name, { input, place })
  const title = el('span', { class: 'name' }, name)
  const notes = [el('div', { class: 'type' }, typeOf(schema))]
  if (required) notes.push(el('div', { class: 'needed' }, 'required'))
  return el(
    'tr',
    {},
    el('td', {}, title, ...notes),
    el('td', { class: 'small' }, description ?? ''),
    el('td', { class: 'given' }, input),
  )
}

function inputFor(schema, name) {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : resolve(schema).enum
  if (!choices) {
    const input = el('input', { 'aria-label': name, spellcheck: 'false' })
    input.placeholder = String(EXAMPLES[name] ?? '')
    return input
  }
  return el(
    'select',
    { 'aria-label': name },
    ...['', ...choices].map((choice) => el('option', { value: choice }, choice)),
  )
}

function tryIt(call, inputs, body) {
  const button = el('button', { type: 'button' }, 'Send')
  const told = el('span', { class: 'small', role: 'status' })
  const curl = el('pre', { class: 'wrap' })
  const result = el('pre', { hidden: '' })
  button.addEventListener('click', async () => {
    const request = requestOf(call, inputs, body)
    curl.textContent = curlOf(request)
    told.textContent = 'Sending…'
    const started = performance.now()
    try {
      const response = await fetch(request.url, request)
      const text = await response.text()
      told.textContent = `${response.status} in ${Math.round(performance.now() - started)} ms`
      result.textContent = pretty(text)
    } catch (error) {
      told.textContent = 'No answer'
      result.textContent = String(error)
    }
    result.hidden = false
  })
  curl.textContent = curlOf(requestOf(call, inputs, body))
  const refresh = () => {
    curl.textContent = curlOf(requestOf(call, inputs, body))
  }
  for (const { input } of inputs.values()) input.addEventListener('input', refresh)
  body?.addEventListener('input', refresh)
  return [el('h4', {}, 'Try it'), curl, el('div', { class: 'bar' }, button, told), result]
}

function requestOf({ method, path }, inputs, body) {
  const query = new URLSearchParams()
  let url = path
  for (const [name, { input, place }] of inputs) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(input.value || `{${name}}`))
    else if (input.value !== '') query.append(name, input.value)
  }
  const key = $('key').value
  return {
    method: method.toUpperCase(),
    url: `${url}${query.size > 0 ? `?${query}` : ''}`,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key && { 'x-ls-apikey': key }) },
    ...(body && { body: body.value }),
  }
}

function curlOf({ method, url, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method]), quoted(decodeURI(location.origin + url))]
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoted(`${name}: ${name === 'x-ls-apikey' ? '<API_KEY>' : value}`))
  if (body) parts.push('-d', quoted(compact(body)))
  return parts.join(' ')
}

function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The rows of an object, or of what a list holds; named shapes fold. */
function fieldsOf(schema) {
  const shape = resolve(schema)
  if (shape.type === 'array' && shape.items)
    return [el('div', { class: 'type' }, typeOf(schema)), ...fieldsOf(shape.items)]
  if (!shape.properties) return [el('div', { class: 'type' }, typeOf(schema))]
  return Object.entries(shape.properties).map(([name, field]) => fieldRow(name, field, shape.required?.includes(name)))
}

function fieldRow(name, field, isNeeded) {
  const label = [
    el('span', { class: 'name' }, name),
    ' ',
    el('span', { class: 'type' }, typeOf(field)),
    ...(isNeeded ? [] : [' ', el('span', { class: 'small' }, 'may be absent')]),
    ...(field.description ? [' ', el('span', { class: 'small' }, field.description)] : []),
  ]
  const inner = innerOf(field)
  if (!inner) return el('div', { class: 'row' }, ...label)
  const details = el('details', { class: 'row' }, el('summary', {}, ...label))
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(el('div', { class: 'tree' }, ...fieldsOf(inner)))
  })
  return details
}

/** The object inside a field: itself, one of its choices, or what its list holds. */
function innerOf(field) {
  const shape = resolve(field)
  if (shape.properties) return shape
  if (shape.items) return innerOf(shape.items)
  for (const choice of shape.anyOf ?? []) {
    const inner = innerOf(choice)
    if (inner) return inner
  }
  return null
}

function resolve(schema) {
  const name = schema.$ref?.split('/').at(-1)
  return name ? openapi.components.schemas[name] : schema
}

function typeOf(schema) {
  if (schema.$ref) {
    const shape = resolve(schema)
    return shape.enum ? shape.enum.join(' | ') : schema.$ref.split('/').at(-1)
  }
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any')
  return schema.format ? `${type}, ${schema.format}` : type
}

/** A body with what is required, and what this page knows a good value for. */
function exampleOf(schema) {
  const { properties = {}, required = [] } = resolve(schema)
  const names = Object.keys(properties).filter((name) => required.includes(name) || name in EXAMPLES)
  return Object.fromEntries(names.map((name) => [name, EXAMPLES[name] ?? '']))
}

function fold(title, children) {
  return el('details', {}, el('summary', { class: 'small' }, title), el('div', { class: 'tree' }, ...children))
}

/** Text with `code` in it. */
function prose(text) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? el('code', {}, part) : part))
}

function el(tag, attributes, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}
