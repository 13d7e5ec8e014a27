/**
 * HTTP aggregators, in the shape of the swap API of 1inch (v6). They never quote: the payout's job asks one for the call
 * of an exchange that it is about to make. Nothing of an answer is trusted; the caller judges and simulates the call.
 */
import {
  type Aggregator,
  type AggregatorAnswer,
  type Catalogue,
  type Exchange,
  objectionToAnswer,
  parseRoute,
  routeText,
  tokenKey,
} from '@causeway/core'
import { z } from 'zod'
import type { ScopeReader } from './scope.ts'

export interface Offer {
  aggregator: Aggregator
  /** The output that it promises. */
  promisedUnits: bigint
  route: string
}

/** An aggregator that did not answer, or not what was asked; for logs. */
export interface NoOffer {
  aggregator: Aggregator
  reason: string
}

export interface Aggregators {
  /**
   * The offers for this exchange, whose route is that of a pool. An answer whose fields differ from the request is no
   * offer. Never throws because of an aggregator.
   */
  ask(exchange: Exchange, request: { account: string; slippageBps: bigint }): Promise<(Offer | NoOffer)[]>
}

const TIMEOUT_MS = 3_000
const MAX_ANSWER_BYTES = 256 * 1024
/** How aggregators name the native token. */
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const BPS_PER_PERCENT = 100

const Units = z.string().regex(/^\d{1,78}$/)
const Text = z.string().max(100)
const Answer = z.object({
  dstAmount: Units,
  chainId: z.union([z.string(), z.number()]).optional(),
  srcToken: z.object({ address: Text }).optional(),
  dstToken: z.object({ address: Text }).optional(),
  tx: z.object({ from: Text, to: Text, value: Units, data: z.string().regex(/^0x[0-9a-fA-F]*$/) }),
})

export function createAggregators(options: {
  catalogue: Catalogue
  /** API keys by the aggregator's name in capitals. */
  keys: Readonly<Record<string, string>>
  /** The exchanges that can be signed. */
  scopeOf: ScopeReader
  timeoutMs?: number
}): Aggregators {
  const { catalogue, keys, scopeOf, timeoutMs = TIMEOUT_MS } = options
  return {
    async ask(exchange, request) {
      const { aggregators = [], chainId } = catalogue.network(exchange.network)
      if (aggregators.length === 0 || chainId === null) return []
      const scope = await scopeOf()
      const { routers = [], tokens = [] } = scope?.[exchange.network] ?? {}
      const isSignable = [exchange.sells.token, exchange.buys].every((token) => tokens.includes(tokenKey(token)))
      const allowed = aggregators.filter(({ router }) => !scope || (isSignable && routers.includes(router)))
      return Promise.all(
        allowed.map((aggregator) =>
          offerOf({
            ...{ ...request, aggregator, exchange, chainId, timeoutMs },
            key: keys[aggregator.name.toUpperCase()],
          }).catch((error) => ({ aggregator, reason: error instanceof Error ? error.message : String(error) })),
        ),
      )
    },
  }
}

interface Request {
  aggregator: Aggregator
  exchange: Exchange
  chainId: string
  key: string | undefined
  timeoutMs: number
  account: string
  slippageBps: bigint
}

async function offerOf(request: Request): Promise<Offer | NoOffer> {
  const { aggregator, exchange, chainId, account } = request
  const path = [exchange.sells.token, exchange.buys].map(({ contract }) => contract ?? NATIVE) as [string, string]
  const parsed = Answer.safeParse(JSON.parse(await answerTo(request, path)))
  if (!parsed.success) return { aggregator, reason: 'its answer is not of the form that it documents' }
  const { dstAmount, srcToken, dstToken, tx, chainId: toldChain } = parsed.data
  const answer: AggregatorAnswer = {
    ...{ promisedUnits: BigInt(dstAmount), from: tx.from, to: tx.to, value: BigInt(tx.value) },
    ...{ chainId: toldChain?.toString(), sold: srcToken?.address, bought: dstToken?.address },
  }
  const reason = objectionToAnswer({ aggregator, exchange, chainId, account, path }, answer)
  if (reason) return { aggregator, reason }
  const { path: contracts, native } = parseRoute(exchange.route)
  const { kind, router } = aggregator
  const route = routeText({ kind, router, path: contracts, native, data: tx.data })
  return { aggregator, promisedUnits: answer.promisedUnits, route }
}

/** The text of its answer. Throws if it is late, too long, or an error. */
async function answerTo(request: Request, path: [string, string]): Promise<string> {
  const { aggregator, exchange, chainId, key, timeoutMs, account, slippageBps } = request
  const [src, dst] = path
  const slippage = (Number(slippageBps) / BPS_PER_PERCENT).toString()
  const amounts = { src, dst, amount: exchange.sells.units.toString(), slippage }
  // `compatibility`: only the router's generic function, which names the recipient and the minimum. `disableEstimate`: the
  // aggregator cannot simulate before our approval, and we simulate anyway.
  const more = { from: account, origin: account, receiver: exchange.to, compatibility: 'true', disableEstimate: 'true' }
  const query = new URLSearchParams({ ...amounts, ...more })
  const response = await fetch(`${aggregator.url.replace(/\/+$/, '')}/${chainId}/swap?${query}`, {
    headers: { accept: 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`it answers HTTP ${response.status}`)
  }
  return textOf(response)
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) throw new Error(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
