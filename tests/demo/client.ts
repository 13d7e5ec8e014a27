/** The API and the sandbox over plain HTTP. Every response is checked against the published schema. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CreatedSwap, Failure, Limits, ListedNetwork, SwapDetails } from '@causeway/sdk'
import { z } from 'zod'

const About = z.object({
  deposit_window_seconds: z.number(),
  networks: z.array(z.object({ network: z.string(), engine: z.string().nullable(), simulated: z.boolean() })),
})
export type About = z.infer<typeof About>

const Accounts = z.array(z.object({ network: z.string(), accounts: z.array(z.object({ address: z.string() })) }))

/** Mining and depositing wait for blocks; nothing takes longer than this. */
const REQUEST_TIMEOUT_MS = 30_000
/** An address has a rate limit per minute; the service says when to retry. */
const MAX_REFUSALS = 20
const RETRY_AFTER_DEFAULT_S = 1

export type Client = ReturnType<typeof clientOf>
export type Query = Record<string, string>

export function clientOf(url: string) {
  async function call<Data>(schema: z.ZodType<Data>, path: string, body?: unknown): Promise<Data> {
    const init: RequestInit =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    for (let refusals = 0; ; refusals++) {
      const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
      if (response.status === 429 && refusals < MAX_REFUSALS) {
        await sleep(1000 * Number(response.headers.get('retry-after') ?? RETRY_AFTER_DEFAULT_S))
        continue
      }
      return read(schema, path, await response.json())
    }
  }
  const withQuery = (path: string, query: Query) => `${path}?${new URLSearchParams(query)}`
  return {
    networks: () => call(z.array(ListedNetwork), '/api/v2/networks'),
    limits: (query: Query) => call(Limits, withQuery('/api/v2/limits', query)),
    create: (body: Record<string, unknown>) => call(CreatedSwap, '/api/v2/swaps', body),
    swap: (id: string) => call(SwapDetails, withQuery(`/api/v2/swaps/${id}`, { exclude_deposit_actions: 'true' })),
    about: () => call(About, '/sandbox'),
    accounts: () => call(Accounts, '/sandbox/accounts'),
    address: async (network: string) =>
      (await call(z.object({ address: z.string() }), '/sandbox/address', { network })).address,
    deposit: async (body: { swap_id: string; account: number; amount?: string }) =>
      (await call(z.object({ transaction_hash: z.string() }), '/sandbox/deposit', body)).transaction_hash,
    balance: async (query: { network: string; token: string; address: string }) =>
      BigInt(
        (await call(z.object({ amount_in_base_units: z.string() }), withQuery('/sandbox/balance', query)))
          .amount_in_base_units,
      ),
  }
}

function read<Data>(schema: z.ZodType<Data>, path: string, answer: unknown): Data {
  const failure = Failure.safeParse(answer)
  if (failure.success) throw new Error(`${path}: ${failure.data.error.code}: ${failure.data.error.message}`)
  const parsed = z.object({ data: schema }).safeParse(answer)
  if (parsed.success) return parsed.data.data
  throw new Error(`${path} answered in another shape than published: ${z.prettifyError(parsed.error)}`)
}
