/** A recorded request as the clients of TypeScript, Python and Go make it. */
import type { Call, Parameter, Schema } from './openapi.ts'
import { nameIn } from './openapi.ts'

export interface Snippet {
  language: 'TypeScript' | 'Python' | 'Go'
  code: string
}

export interface Recorded {
  call: Call
  /** The service's address. */
  base: string
  /** Values of the path and the query, in the order of the document. */
  parameters: readonly Parameter[]
  body: Record<string, unknown> | null
  needsKey: boolean
}

/** The method of the TypeScript client for each operation. The other two clients are named after the operation. */
const METHODS: Record<string, string> = {
  listNetworks: 'networks',
  listSources: 'sources',
  listDestinations: 'destinations',
  getTransactionStatus: 'transactionStatus',
  checkAddress: 'address',
  getBalance: 'balance',
  listSourceExchanges: 'sourceExchanges',
  listWithdrawalNetworks: 'exchangeWithdrawalNetworks',
  getLimits: 'limits',
  getQuote: 'quote',
  getDetailedQuote: 'detailedQuote',
  createSwap: 'createSwap',
  listSwaps: 'swaps',
  getSwap: 'swap',
  getDepositActions: 'depositActions',
  getSwapProgress: 'progress',
  streamSwap: 'waitForSwap',
  getSwapByTransactionHash: 'swapByTransaction',
  speedUpDeposit: 'speedUp',
  authorizeDeposit: 'authorize',
  getAuthorization: 'authorization',
  setRefundAddress: 'giveRefundAddress',
  listExplorerSwaps: 'explorer',
  searchSwaps: 'explorerSearch',
  getAnalytics: 'analytics',
  listUnmatchedDeposits: 'unmatched',
  listRouteHealth: 'routesHealth',
  listCampaigns: 'campaigns',
  getCampaign: 'campaign',
  getLeaderboard: 'leaderboard',
  getRewards: 'rewards',
  listRewardPayouts: 'rewardPayouts',
  createWebhook: 'addWebhook',
  listWebhooks: 'webhooks',
  updateWebhook: 'updateWebhook',
  deleteWebhook: 'removeWebhook',
  testWebhook: 'testWebhook',
  replayWebhooks: 'replayWebhooks',
  getHealth: 'health',
  getSite: 'site',
  getStatus: 'status',
  getWellKnown: 'wellKnown',
}
/** Methods that take a field of the body instead of the body. */
const UNWRAPPED: Record<string, string> = {
  createWebhook: 'url',
  speedUpDeposit: 'transaction_id',
  replayWebhooks: 'swap_id',
}
/** The stream of a swap: Python and Go poll until it ends. */
const STREAM = 'streamSwap'
const ORDER = 'order-1234'
const KEY = '<API_KEY>'

export function snippetsOf(recorded: Recorded): Snippet[] {
  const method = METHODS[recorded.call.operationId]
  return [
    ...(method ? [{ language: 'TypeScript' as const, code: typeScript(recorded, method) }] : []),
    { language: 'Python', code: python(recorded) },
    { language: 'Go', code: go(recorded) },
  ]
}

function typeScript({ call, base, parameters, body, needsKey }: Recorded, method: string): string {
  const { operationId: id } = call
  const field = UNWRAPPED[id]
  const query = queryOf(parameters)
  const given = [
    ...pathOf(parameters).map((value) => literal(value, TYPESCRIPT)),
    ...(body ? [literal(field ? body[field] : body, TYPESCRIPT)] : []),
    ...(Object.keys(query).length > 0 ? [literal(query, TYPESCRIPT)] : []),
    ...(isIdempotent(call) ? [`{ idempotencyKey: '${ORDER}' }`] : []),
  ]
  const options = needsKey ? `{ baseUrl: '${base}', apiKey: '${KEY}' }` : `{ baseUrl: '${base}' }`
  const lines = [`import { createClient } from '@causeway/sdk'`, '', `const client = createClient(${options})`]
  return [...lines, `const answer = await client.${method}(${given.join(', ')})`].join('\n')
}

function python({ call, base, parameters, body, needsKey }: Recorded): string {
  const { operationId: id } = call
  const name = id === STREAM ? 'wait_for_swap' : snake(id)
  const given = [
    ...pathOf(parameters).map((value) => literal(value, PYTHON)),
    ...(body ? [literal(decimalsAsText(body), PYTHON)] : []),
    ...Object.entries(queryOf(parameters)).map(([field, value]) => `${field}=${literal(value, PYTHON)}`),
    ...(isIdempotent(call) ? [`idempotency_key="${ORDER}"`] : []),
  ]
  const key = needsKey ? `, api_key="${KEY}"` : ''
  return [
    'from causeway import Client',
    '',
    `client = Client("${base}"${key})`,
    `answer = client.${name}(${given.join(', ')})`,
  ].join('\n')
}

function go({ call, base, parameters, body, needsKey }: Recorded): string {
  const { operationId: id } = call
  const name = goName(id)
  const fields = queryOf(parameters)
  const hasQuery = parameters.some((parameter) => parameter.in === 'query')
  const given = [
    'ctx',
    ...pathOf(parameters).map((value) => literal(value, GO)),
    ...(id === STREAM ? ['2*time.Second'] : []),
    ...(body ? [structOf(bodyName(call), body)] : []),
    ...(hasQuery && id !== STREAM ? [structOf(`${name}Params`, fields)] : []),
    ...(isIdempotent(call) ? [`"${ORDER}"`] : []),
  ]
  const hasResult = call.responses['200']?.content !== undefined
  const made = `client.${id === STREAM ? 'WaitForSwap' : name}(${given.join(', ')})`
  return `client := causeway.New("${base}", "${needsKey ? KEY : ''}")\n${hasResult ? 'answer, err' : 'err'} := ${made}`
}

function isIdempotent({ operationId }: Call): boolean {
  return operationId === 'createSwap'
}

function bodyName(call: Call): string {
  const schema = call.requestBody?.content['application/json']?.schema
  return schema?.$ref ? nameIn(schema.$ref) : `${goName(call.operationId)}Body`
}

function pathOf(parameters: readonly Parameter[]): string[] {
  return parameters.flatMap(({ in: place, example }) => (place === 'path' ? [String(example ?? '')] : []))
}

function queryOf(parameters: readonly Parameter[]): Record<string, unknown> {
  const given = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  return Object.fromEntries(given.map(({ name, schema, example }) => [name, typed(schema, String(example))]))
}

/** Recorded queries are text: the clients take values of their types. */
function typed(schema: Schema, text: string): unknown {
  const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => [type].flat())
  if (types.includes('array')) return text.split(',')
  if (types.includes('boolean')) return text === 'true'
  return types.includes('integer') && !types.includes('string') ? Number(text) : text
}

interface Style {
  quote: string
  key: (name: string) => string
  none: string
  bool: (value: boolean) => string
  list: (items: string[]) => string
}

const TYPESCRIPT: Style = {
  quote: "'",
  key: (name) => name,
  none: 'null',
  bool: String,
  list: (items) => `[${items.join(', ')}]`,
}
const PYTHON: Style = {
  quote: '"',
  key: (name) => `"${name}"`,
  none: 'None',
  bool: (value) => (value ? 'True' : 'False'),
  list: (items) => `[${items.join(', ')}]`,
}
const GO: Style = {
  quote: '"',
  key: goName,
  none: 'nil',
  bool: String,
  list: (items) => `[]string{${items.join(', ')}}`,
}

function literal(value: unknown, style: Style): string {
  if (value === null || value === undefined) return style.none
  if (typeof value === 'boolean') return style.bool(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return style.list(value.map((item) => literal(item, style)))
  if (typeof value === 'object') return objectOf(value, style, '{', '}')
  const text = JSON.stringify(value).slice(1, -1)
  return `${style.quote}${style.quote === "'" ? text.replaceAll('\\"', '"').replaceAll("'", "\\'") : text}${style.quote}`
}

/** Decimals stay exact as text. */
function decimalsAsText(fields: Record<string, unknown>): Record<string, unknown> {
  const isDecimal = (value: unknown) => typeof value === 'number' && !Number.isInteger(value)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isDecimal(value) ? String(value) : value]),
  )
}

function structOf(name: string, fields: Record<string, unknown>): string {
  return `causeway.${name}${objectOf(decimalsAsText(fields), GO, '{', '}')}`
}

function objectOf(value: object, style: Style, open: string, close: string): string {
  const fields = Object.entries(value).map(([name, inner]) => `${style.key(name)}: ${literal(inner, style)}`)
  if (fields.length === 0) return `${open}${close}`
  const line = `${open} ${fields.join(', ')} ${close}`
  if (line.length <= WIDTH) return style === GO ? line.replace(/^\{ | \}$/g, (edge) => edge.trim()) : line
  const indent = style === GO ? '\t' : '  '
  return `${open}\n${fields.map((field) => `${indent}${field},\n`).join('')}${close}`
}

const WIDTH = 60

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const INITIALISMS: Record<string, string> = { Id: 'ID', Url: 'URL', Usd: 'USD' }

/** The Go name of a field or method, as the client's generator writes it. */
function goName(name: string): string {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const words = (camel.charAt(0).toUpperCase() + camel.slice(1)).split(/(?=[A-Z])/)
  return words.map((word) => INITIALISMS[word] ?? word).join('')
}
