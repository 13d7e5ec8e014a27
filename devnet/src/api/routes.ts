/**
 * The sandbox's own API under /sandbox: a faucet, blocks and reorgs on demand, deposits without a wallet. It exists
 * only with local chains, and uses the API's envelope.
 */
import { ApiError, accountsOn, formatDecimal } from '@causeway/core'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { keysOf } from '../keys.ts'
import { createDelays, DelayBody } from './delay.ts'
import { DepositBody, makeDeposit } from './deposit.ts'
import { hookRoutes } from './hooks.ts'
import { ReorgBody, reorganise } from './reorg.ts'
import { SignBody, signAs } from './sign.ts'
import { strangerOn } from './stranger.ts'
import { AmountText, addressOf, byChain, placeOf, tokenOf, unitsOf, type World, wrong } from './world.ts'

/** A thousand blocks take a local chain a few seconds. */
const MAX_BLOCKS = 1_000

const Name = z.string().min(1).max(128)
const FundBody = z.strictObject({ network: Name, token: Name, address: Name, amount: AmountText })
const MineBody = z.strictObject({ network: Name, blocks: z.int().min(1).max(MAX_BLOCKS).default(1) })
/** The listed range of a local V3 pool ends at a factor of 20. */
const [LOWEST_PERCENT, HIGHEST_PERCENT] = [-90, 900]
const PoolBody = z.strictObject({ network: Name, token: Name })
const MoveBody = PoolBody.extend({
  percent: z
    .number()
    .min(LOWEST_PERCENT)
    .max(HIGHEST_PERCENT)
    .refine((percent) => percent !== 0, 'must not be 0'),
})
const AddressBody = z.strictObject({ network: Name })
const BalanceQuery = z.strictObject({ network: Name, token: Name, address: Name })

/** The routes, as `startService({ extend })` takes them. */
export function sandboxRoutes(world: World): (api: FastifyInstance) => void {
  return (api) => void api.register(async (routes) => addRoutes(routes, api, world), { prefix: '/sandbox' })
}

function addRoutes(routes: FastifyInstance, api: FastifyInstance, world: World): void {
  const { networks } = world.catalogue
  const delays = createDelays(world)
  hookRoutes(routes, api, keysOf(world.config).secret)
  routes.get('/', async () => ({ data: describe(world) }))

  routes.get('/accounts', async () => ({
    data: networks.map(({ name }) => ({ network: name, accounts: walletsOn(world, name) })),
  }))

  routes.get('/balance', async (request) => {
    const query = parse(BalanceQuery, request.query)
    const place = await placeOf(world, query.network)
    const token = tokenOf(place, query.token)
    const units = await byChain(place.devnet.balance(token, addressOf(place, query.address)))
    return { data: amountOf(units, token.decimals) }
  })

  routes.post('/address', async (request) => {
    const place = await placeOf(world, parse(AddressBody, request.body).network)
    const address = await strangerOn(place)
    await place.devnet.introduce?.(place.network.name, address)
    return { data: { address } }
  })

  routes.post('/fund', async (request) => {
    const body = parse(FundBody, request.body)
    const place = await placeOf(world, body.network)
    const token = tokenOf(place, body.token)
    const address = addressOf(place, body.address)
    await byChain(place.devnet.fund(token, address, unitsOf(token, body.amount)))
    return { data: amountOf(await place.devnet.balance(token, address), token.decimals) }
  })

  routes.post('/mine', async (request) => {
    const body = parse(MineBody, request.body)
    const { devnet, network } = await placeOf(world, body.network)
    await byChain(devnet.mine(network.name, body.blocks))
    return { data: {} }
  })

  routes.post('/reorg', async (request) => {
    return { data: await reorganise(api, world, parse(ReorgBody, request.body)) }
  })

  routes.post('/delay', async (request) => {
    const body = parse(DelayBody, request.body)
    const { network } = await placeOf(world, body.network)
    return { data: await delays.delay(network.name, body.seconds) }
  })

  routes.post('/pool/move', async (request) => {
    const { percent, ...body } = parse(MoveBody, request.body)
    const { pools, token } = await poolsOf(world, body)
    await byChain(pools.move(token, percent))
    return { data: {} }
  })

  routes.post('/pool/empty', async (request) => {
    const { pools, token } = await poolsOf(world, parse(PoolBody, request.body))
    await byChain(pools.empty(token))
    return { data: {} }
  })

  routes.post('/sign', async (request) => {
    const body = parse(SignBody, request.body)
    return { data: await signAs(await placeOf(world, body.network), body) }
  })

  routes.post('/deposit', async (request) => {
    const made = await makeDeposit(api, world, parse(DepositBody, request.body))
    return { data: made.at(-1) ?? {} }
  })
}

async function poolsOf(world: World, { network, token: name }: z.infer<typeof PoolBody>) {
  const place = await placeOf(world, network)
  const token = tokenOf(place, name)
  const { pools } = place.devnet
  if (!pools) throw wrong('network', `${place.network.name} has no exchanges`)
  return { pools, token }
}

function walletsOn({ chains }: World, network: string) {
  const devnet = chains.devnets.get(network)
  const accounts = devnet ? accountsOn(devnet, network) : []
  return accounts.map(({ address, secret }) => ({ address, private_key: secret }))
}

function describe({ config, catalogue, chains }: World) {
  return {
    about: 'A Causeway sandbox: local chains, worthless money, nothing kept between two starts.',
    api_keys: keysOf(config),
    deposit_window_seconds: config.depositWindowMs / 1000,
    networks: catalogue.networks.map(({ name, chainId }) => {
      const devnet = chains.devnets.get(name)
      return {
        network: name,
        chain_id: chainId,
        node_url: devnet?.nodes[name] ?? null,
        engine: devnet?.engine ?? null,
        simulated: devnet?.simulated ?? false,
        treasury: chains.treasuries[name] ?? null,
      }
    }),
  }
}

function amountOf(units: bigint, decimals: number) {
  return { amount: Number(formatDecimal(units, decimals)), amount_in_base_units: units.toString() }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => [path.join('.') || 'body', message] as const)
  const text = problems.map(([field, message]) => `${field}: ${message}`).join('; ')
  throw new ApiError('VALIDATION_ERROR', text, Object.fromEntries(problems))
}
