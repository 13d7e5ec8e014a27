/** The `providers` of a network file: which exchanges, routers and pools may be used. Only listed pools are ever called. */
import {
  AGGREGATOR_KINDS,
  type Aggregator,
  POOL_KINDS,
  type Pool,
  type Provider,
  type Token,
  type TokenNaming,
} from '@causeway/core'
import { z } from 'zod'

export const ProviderFile = z
  .strictObject({
    /** The name in `path` of a quote. */
    name: z.string().regex(/^[a-z0-9_-]+$/),
    kind: z.enum(POOL_KINDS),
    factory: z.string().min(1),
    router: z.string().min(1),
    /** V3: the contract that quotes exactly. */
    quoter: z.string().min(1).optional(),
    /** The symbol of the token that the treasury holds: one side of every pool. */
    hub: z.string().min(1),
    /** The contract by which pools name the native token; needed if the native token is in a pool. */
    wrapped_native: z.string().min(1).optional(),
    pools: z
      .array(
        z.strictObject({
          /** The symbol of the other token of the pool. */
          token: z.string().min(1),
          address: z.string().min(1),
          /** The fee in parts per million: 3000 is 0.3 %. For V3 the fee tier. */
          fee_ppm: z.int().min(0).max(100_000).default(3000),
        }),
      )
      .min(1),
  })
  .refine(({ kind, quoter }) => kind !== 'uniswap_v3' || quoter !== undefined, 'uniswap_v3 needs a quoter')

export const AggregatorFile = z.strictObject({
  /** The name in the legs of a swap, and in the setting of its API key. */
  name: z.string().regex(/^[a-z0-9_]+$/),
  kind: z.enum(AGGREGATOR_KINDS),
  /** The only contract that its calls may go to. */
  router: z.string().min(1),
  /** The address of its API, without the chain id. */
  url: z.url({ protocol: /^https?$/ }),
})

type ProviderFile = z.infer<typeof ProviderFile>

/** Resolves tokens and addresses. Each problem names its place in the file. */
export function providersOf(
  files: readonly ProviderFile[],
  tokens: readonly Token[],
  parseAddress: TokenNaming['parseAddress'],
  problem: (text: string) => void,
): Provider[] {
  const providers = files.flatMap((file, index) => {
    const at = `providers.${index}`
    const addressOf = (field: string, text: string) => {
      const address = parseAddress(text)
      if (address === null) problem(`${at}.${field}: ${text} is no address of this network`)
      return address ?? text
    }
    const tokenOf = (field: string, symbol: string) => {
      const token = tokens.find((one) => one.symbol === symbol)
      if (!token) problem(`${at}.${field}: there is no token ${symbol}`)
      return token
    }
    const hub = tokenOf('hub', file.hub)
    if (hub?.poolOnly) problem(`${at}.hub: ${file.hub} is pool_only, so the treasury does not hold it`)
    const wrappedNative = file.wrapped_native === undefined ? null : addressOf('wrapped_native', file.wrapped_native)
    const contractOf = (field: string, token: Token) => {
      if (token.contract === null && wrappedNative === null)
        problem(`${at}.${field}: ${token.symbol} is the native token, so wrapped_native is needed`)
      return token.contract ?? wrappedNative ?? ''
    }
    const pools = file.pools.flatMap(({ token: symbol, address, fee_ppm: feePpm }, number): Pool[] => {
      const field = `pools.${number}`
      const token = tokenOf(`${field}.token`, symbol)
      if (!token || !hub) return []
      if (token === hub) problem(`${at}.${field}.token: ${symbol} is the hub itself`)
      const [token0, token1] = inPoolOrder(contractOf('hub', hub), contractOf(`${field}.token`, token))
      return [{ kind: file.kind, address: addressOf(`${field}.address`, address), token0, token1, feePpm }]
    })
    const router = addressOf('router', file.router)
    const factory = addressOf('factory', file.factory)
    const quoter = file.quoter === undefined ? null : addressOf('quoter', file.quoter)
    return hub ? [{ name: file.name, kind: file.kind, factory, router, quoter, hub, wrappedNative, pools }] : []
  })
  const names = files.map(({ name }) => name)
  for (const name of names)
    if (names.indexOf(name) !== names.lastIndexOf(name)) problem(`two providers are called ${name}`)
  for (const token of tokens) {
    const isPooled = files.some(({ pools }) => pools.some((pool) => pool.token === token.symbol))
    if (token.poolOnly && !isPooled) problem(`${token.symbol}: it is pool_only, but no pool of a provider holds it`)
  }
  return providers
}

export function aggregatorsOf(
  files: readonly z.infer<typeof AggregatorFile>[],
  providers: readonly Provider[],
  parseAddress: TokenNaming['parseAddress'],
  problem: (text: string) => void,
): Aggregator[] {
  const taken = new Set(providers.map(({ name }) => name))
  return files.flatMap(({ router: text, ...file }, index) => {
    const at = `aggregators.${index}`
    const router = parseAddress(text)
    if (router === null) problem(`${at}.router: ${text} is no address of this network`)
    if (taken.has(file.name)) problem(`${at}.name: another one is called ${file.name}`)
    taken.add(file.name)
    if (providers.length === 0) problem(`${at}: only a provider's pools can quote, and none is listed`)
    // A pool's router does what the call data of anyone says; its calls are built here and not by an aggregator.
    if (providers.some((one) => one.router === router)) problem(`${at}.router: it is the router of a provider`)
    return router === null ? [] : [{ ...file, router }]
  })
}

/** Uniswap sorts the two tokens of a pool by their addresses as numbers. */
function inPoolOrder(one: string, other: string): [string, string] {
  return one.toLowerCase() < other.toLowerCase() ? [one, other] : [other, one]
}
