/**
 * Requests generated from `openapi.json` by a seed: valid, invalid and hostile, and the allowed responses. The tests
 * run a few thousand, `npm run bench -- fuzz` a hundred thousand.
 */
import { CreatedSwap } from '@causeway/sdk'
import type { InjectOptions } from 'fastify'
import { z } from 'zod'
import openapi from '../../../sdk/openapi.json' with { type: 'json' }
import { keyOf } from './accounts.ts'
import { post, type TestApi } from './api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from './progress.ts'

type Json = { [key: string]: unknown }
interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Json
}
export interface Operation {
  key: string
  method: string
  path: string
  parameters: Parameter[]
  body: Json | null
  answer: z.ZodType
}

const schemaOf = (shape: Json) =>
  z.fromJSONSchema({ ...rebase(shape), $defs: rebase(openapi.components.schemas) } as Parameters<
    typeof z.fromJSONSchema
  >[0])
const rebase = (shape: Json): Json => JSON.parse(JSON.stringify(shape).replaceAll('#/components/schemas/', '#/$defs/'))
export const failure = schemaOf(openapi.components.schemas.Failure)

export const operations: Operation[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, call]) => {
    const [response] = Object.values<{ content?: Record<string, { schema: Json }> }>(call.responses)
    const content = response?.content ?? {}
    const answer = content['application/json']
    // Streams do not end on their own.
    if (!answer) return []
    const body: { content: Record<string, { schema: Json }> } | undefined =
      'requestBody' in call ? call.requestBody : undefined
    return [
      {
        key: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        // Headers common to all calls are added below.
        parameters: (call.parameters as Parameter[]).filter((parameter) => ['path', 'query'].includes(parameter.in)),
        body: body?.content['application/json']?.schema ?? null,
        answer: schemaOf(answer.schema),
      },
    ]
  }),
)

const HOSTILE: unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '💸',
  '𝒳'.repeat(300),
  'x'.repeat(5_000),
  '-1',
  '-0',
  '0',
  '00',
  '1e5',
  '1E400',
  'NaN',
  'Infinity',
  '0x10',
  '1.',
  '.5',
  '1,5',
  '9'.repeat(60),
  `0.${'0'.repeat(30)}1`,
  "' or 1=1 --",
  '%',
  '%25',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'true',
  'TRUE',
  '[]',
  '{}',
  '<svg/onload=1>',
  'ALPHA,BETA',
  ',,,',
  '\r\nx: y',
  '\u202e',
]
const STRANGE: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e300,
  1e-300,
  2 ** 53,
  [],
  [[]],
  {},
  { a: 1 },
  ['ALPHA'],
  ...HOSTILE,
]

/** Creates the data that requests refer to, and then generates requests. */
export async function createFuzz(
  api: TestApi,
  seed: number,
): Promise<() => { operation: Operation; request: InjectOptions }> {
  const random = mulberry(seed)
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const chance = (share: number) => random() < share
  const { key, known } = await prepare(api)

  function draw({ method, path, parameters, body }: Operation): InjectOptions {
    // Most requests are valid except for one thing: those go deepest.
    const badness = pick([0, 0, 0.05, 0.15, 0.6])
    let url = path
    const query = new URLSearchParams()
    for (const parameter of parameters) {
      const { name, schema, required } = parameter
      if (parameter.in === 'path') {
        url = url.replace(`{${name}}`, encodeURIComponent(wellFormed(text(valueFor(name, schema, badness)))))
        continue
      }
      const isThere = required ? !chance(badness / 3) : chance(0.25)
      if (!isThere) continue
      for (const value of [valueFor(name, schema, badness)].flat().slice(0, 3)) query.append(name, text(value))
    }
    if (chance(badness / 2)) query.append(text(pick(HOSTILE)), text(pick(HOSTILE)))
    const headers: Record<string, string> = {
      ...(chance(0.3) && { 'x-ls-apikey': chance(0.9) ? key : 'wrong' }),
      ...(chance(0.05) && { 'idempotency-key': pick(['one', 'two', 'three']) }),
    }
    const request: InjectOptions = {
      method: method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
      url: query.size > 0 ? `${url}?${query}` : url,
      headers,
    }
    if (!body) return request
    if (chance(badness / 4)) {
      request.payload = pick(['', '{', 'null', '[]', '"x"', '{"a":', '{"__proto__":{"a":1}}', 'x'.repeat(100)])
      headers['content-type'] = 'application/json'
    } else {
      request.payload = bodyFor(body, badness)
    }
    return request
  }

  function bodyFor(schema: Json, badness: number): Json {
    const { properties = {}, required = [] } = resolve(schema) as {
      properties?: Record<string, Json>
      required?: string[]
    }
    const drawn: Json = {}
    for (const [name, shape] of Object.entries(properties)) {
      const isThere = required.includes(name) ? !chance(badness / 3) : chance(name === 'amount' ? 0.9 : 0.2)
      if (isThere) drawn[name] = chance(badness) ? pick(STRANGE) : valueFor(name, shape, 0)
    }
    if (chance(badness)) drawn[text(pick(HOSTILE))] = pick(STRANGE)
    return drawn
  }

  function valueFor(name: string, schema: Json, badness: number): unknown {
    if (chance(badness)) return pick(HOSTILE)
    const values = known[name]
    // The first candidates fit together.
    if (values) return chance(0.7) ? values[below(Math.min(2, values.length))] : pick(values)
    const shape = resolve(schema)
    const types = [shape.type ?? 'string'].flat()
    if (types.includes('boolean')) return chance(0.3)
    if (Array.isArray(shape.enum)) return pick(shape.enum)
    if (types.includes('integer') || types.includes('number')) return below(100)
    return pick(['x', 'hello', '1', 'some words'])
  }

  return () => {
    const operation = pick(operations)
    return { operation, request: draw(operation) }
  }
}

/** Values that mean something to the service, by field name. */
async function prepare(api: TestApi): Promise<{ key: string; known: Record<string, unknown[]> }> {
  const { services } = api
  const key = await keyOf(services, 'fuzz', services.config.environment)
  const alpha = services.chains.get('ALPHA')
  const recipient = (await alpha?.depositAddresses?.derive(900_001)) ?? ''
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const ids: string[] = []
  const hash = `0x${'ab'.repeat(32)}`
  for (let n = 0; n < 5; n++) {
    const body = { ...route, destination_address: recipient, amount: 100, refuel: n === 1, reference_id: 'fuzz' }
    const { swap } = await api.ask(CreatedSwap, post('/api/v2/swaps', body))
    ids.push(swap.id)
    if (n > 2) continue
    await confirmDeposit(services, swap.id, await seeDeposit(services, swap.id, n === 0 ? { txHash: hash } : {}))
    if (n > 0) await landPayouts(services, swap.id)
  }
  const dates = { starts_at: '2026-01-01T00:00:00Z', ends_at: '2099-01-01T00:00:00Z', period_days: 7 }
  const token = services.catalogue.network('BETA').nativeToken
  const prize = { nft_contract: null, token, fee_share: 0.5, budgetUnits: 10n ** 18n, minPayoutUnits: 0n, ...dates }
  services.addCampaign({ ...prize, name: 'fuzz', display_name: 'Fuzz', type: 'default' })
  if (alpha) {
    const block = { number: 7n, hash: 'h' }
    alpha.inspect = async (asked) =>
      asked === hash ? { state: 'included', block, confirmations: 3, sightings: [] } : { state: 'unknown' }
  }
  const networks = ['ALPHA', 'BETA', 'GAMMA', '1000', 'alpha', 'NOWHERE']
  const tokens = ['USDC', 'SIM', 'usdc', alpha?.nativeAddress, alpha?.network.tokens[1]?.contract, 'DOGS']
  const addresses = [recipient, recipient.toUpperCase(), alpha?.treasury, '0x00', 'somebody']
  const amounts = ['100', 100, 1, '0.5', '12.345678', '99999999', 1e-9, '0']
  const known = {
    source_network: networks,
    destination_network: networks,
    network: networks,
    networks: [...networks, 'ALPHA,BETA'],
    source_token: tokens,
    token: tokens,
    destination_token: tokens,
    destination_address: addresses,
    source_address: addresses,
    refund_address: addresses,
    address: addresses,
    addresses,
    signer_address: addresses,
    amount: amounts,
    slippage: ['0.01', 0.5, '1', '2', 0],
    swapId: [...ids, crypto.randomUUID(), 'none'],
    swap_id: [...ids, crypto.randomUUID()],
    search: [...ids, hash, ...addresses],
    transactionHash: [hash, hash.toUpperCase().replace('0X', '0x'), '0x12345678'],
    transaction_id: [hash, '0x12345678'],
    reference_id: ['fuzz', 'nothing'],
    network_types: ['evm', 'starkex', 'evm,starkex', ['starkex', 'ton'], 'dogs'],
    statuses: ['1', '4', 'Completed', 'pendingdeposit', ['failed', 'expired'], '1,4', '7'],
    page: ['1', '2', '500', '501', '0'],
    period: ['24h', '7d', '30d', '90d', '1y'],
    source_exchange: ['KRAKEN', null, 'NOBODY'],
    destination_exchange: ['BINANCE', null, null],
    exchange: ['KRAKEN', 'NOBODY'],
    url: ['https://hooks.example/x', 'http://127.0.0.1/', 'ftp://x'],
    signature: ['0x1234', '0x', 'zz'],
    campaign: ['fuzz', 'none'],
    name: ['fuzz', 'nobody'],
    webhookId: [crypto.randomUUID(), 'none'],
  }
  return { key, known }
}

function resolve(schema: Json): Json {
  if (typeof schema.$ref !== 'string') return schema
  const schemas: Record<string, Json> = openapi.components.schemas
  return schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Half a surrogate pair cannot be part of a URL. */
function wellFormed(value: string): string {
  return value.toWellFormed() || 'x'
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
