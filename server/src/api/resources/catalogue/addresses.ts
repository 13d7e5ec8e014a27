/**
 * GET /address and /balance: checks an address and reads its balance. Both may call a node, at most once per 5 s for
 * the same question.
 */
import { type Address, ApiError, type ChainAdapter, findNetwork, findToken, RetryLater } from '@causeway/core'
import { AddressQuery, Balance, BalanceQuery, CheckedAddress, envelope } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { ownedAddresses } from '../../../store/watch/addresses.ts'
import { createTtlCache } from '../../cache/ttl-cache.ts'
import type { Api } from '../../http/schema.ts'
import { human } from '../../present/numbers.ts'

const KEEP_MS = 5_000
/** Timeout for a node. Pages ask again, so a slower node is not waited for. */
const PATIENCE_MS = 5_000

export function addressesRoutes(api: Api, services: Services): void {
  const checks = createTtlCache<CheckedAddress>(KEEP_MS)
  const balances = createTtlCache<Balance>(KEEP_MS)

  api.get(
    '/address',
    { schema: { querystring: AddressQuery, response: { 200: envelope(CheckedAddress) } } },
    async ({ query }) => {
      const chain = chainOf(services, query.network)
      const address = chain.parseAddress(query.address)
      if (address === null)
        return { data: { valid: false, address: null, blocked: false, contract: null, activated: null } }
      const key = `${chain.network.name} ${address}`
      return { data: await checks.get(key, () => check(services, chain, address)) }
    },
  )

  api.get(
    '/balance',
    { schema: { querystring: BalanceQuery, response: { 200: envelope(Balance) } } },
    async ({ query }) => {
      const chain = chainOf(services, query.network)
      const address = chain.parseAddress(query.address)
      if (address === null) throw invalid(query.address, chain)
      const token = findToken(chain.network, query.token, chain)
      if (!token) throw new ApiError('NOT_FOUND', `There is no token ${query.token} on ${chain.network.name}.`)
      const key = `${chain.network.name} ${token.contract ?? ''} ${address}`
      return { data: await balances.get(key, () => within(read(chain, address, token), chain)) }
    },
  )
}

function chainOf({ catalogue, chains }: Services, name: string): ChainAdapter {
  const network = findNetwork(catalogue.networks, name)
  const chain = network && chains.get(network.name)
  if (!chain) throw new ApiError('NOT_FOUND', `There is no network ${name}.`)
  return chain
}

async function check(services: Services, chain: ChainAdapter, address: Address): Promise<CheckedAddress> {
  const { database, screener, log } = services
  const network = chain.network.name
  const own = await ownedAddresses(database, network, [address])
  const hit = await screener.screen([{ network, address }]).catch(() => null)
  // A node that is down must not block an address input.
  const contract = await within(chain.accounts?.isContract(address) ?? Promise.resolve(null), chain).catch((error) => {
    log.debug({ err: error, network }, 'an address could not be looked at')
    return null
  })
  const blocked = own.length > 0 || address === chain.treasury || chain.isUnpayable(address) || hit !== null
  return { valid: true, address, blocked, contract, activated: null }
}

type Token = NonNullable<ReturnType<typeof findToken>>

async function read(chain: ChainAdapter, owner: Address, token: Token): Promise<Balance> {
  const { nativeToken } = chain.network
  const [holdings, fees] = await Promise.all([
    chain.balances([
      { owner, token },
      { owner, token: nativeToken },
    ]),
    chain.fees(),
  ])
  const [units = 0n, native = 0n] = holdings.units
  return {
    amount: human(units, token),
    amount_in_base_units: units.toString(),
    native_amount_in_base_units: native.toString(),
    transfer_cost_in_base_units: (token.contract === null ? fees.nativeTransfer : fees.tokenTransfer).toString(),
  }
}

async function within<Value>(asked: Promise<Value>, { network }: ChainAdapter): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new RetryLater('late')), PATIENCE_MS)
  try {
    return await Promise.race([asked, late.promise])
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
    throw new ApiError('SERVICE_STARTING', `${network.name} does not answer now: ask again.`)
  } finally {
    clearTimeout(timer)
  }
}

function invalid(text: string, { network }: ChainAdapter): ApiError {
  const problem = `is no address of ${network.name}`
  return new ApiError('INVALID_ADDRESS_ERROR', `address ${text} ${problem}.`, { address: problem })
}
