/** A delisted token or network is not forgotten: its swaps end, and their money is refunded. */
import { catalogueOf, type Network, type Token } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { offerFor } from '../../offer/quote-service.ts'
import { readKnown, rememberListed } from '../../store/market/known-assets.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { expireSwaps } from './expire.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
  await rememberListed(hand.services.database, hand.services.catalogue.networks)
})
afterEach(() => hand.stop())

const db = () => hand.services.database

/** As after a start with other files and the same database. */
async function restart(change: (networks: readonly Network[]) => Network[]): Promise<void> {
  const networks = change(hand.services.catalogue.networks)
  await rememberListed(db(), networks)
  Object.assign(hand.services, { catalogue: catalogueOf(networks, await readKnown(db())) })
}

const withoutToken = (networks: readonly Network[]) =>
  networks.map((network) => (network.name === TO ? { ...network, tokens: [network.nativeToken] } : network))
const withoutNetwork = (networks: readonly Network[]) => networks.filter(({ name }) => name !== TO)

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const row = db().selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await row.executeTakeFirstOrThrow()).status
}
const payoutsOf = ({ view }: CreatedSwap) =>
  db()
    .selectFrom('payout')
    .select(['kind', 'network', 'to_address', 'started'])
    .where('swap_id', '=', view.swap.id)
    .execute()

test.each([
  ['the token', withoutToken],
  ['the network', withoutNetwork],
])(
  'a deposit for a swap into what is not listed any more is matched, counts, and goes back (%s)',
  async (_, change) => {
    const swap = await hand.swap(FROM, TO)
    await restart(change)
    const hash = hand.deposit(swap)
    hand.chain(FROM).mine(TIER)
    await hand.watch(FROM)
    const row = db().selectFrom('deposit').select(['swap_id', 'state']).where('tx_hash', '=', hash)
    expect(await row.executeTakeFirst()).toEqual({ swap_id: swap.view.swap.id, state: 'confirmed' })
    expect(await statusOf(swap)).toBe('user_transfer_pending')
    hand.passTime(hand.services.config.depositWindowMs + 1)
    await hand.services.refresh()
    await expireSwaps(hand.services)
    await hand.runJobs()
    expect(await statusOf(swap)).toBe('refund_pending')
    const to_address = swap.view.swap.refundAddress
    expect(await payoutsOf(swap)).toEqual([{ kind: 'refund', network: FROM, to_address, started: true }])
  },
)

test('a delisted token is not offered, and its symbol may move to another one', async () => {
  const { services } = hand
  const route = {
    ...{ sourceNetwork: FROM, sourceToken: 'USDC', destinationNetwork: TO, destinationToken: 'USDC' },
    ...{ refuel: false, useDepositAddress: false, useDepository: false, useGasless: false },
  }
  const usdc = services.catalogue.network(TO).tokens.find(({ symbol }) => symbol === 'USDC') as Token
  expect(offerFor(services, route).pricing.destination).toBe(usdc)
  usdc.unlisted = true
  expect(() => offerFor({ ...services }, route)).toThrow('There is no token USDC on BETA')
  const fresh: Token = { ...usdc, contract: 'the new one' }
  delete fresh.unlisted
  services.catalogue.network(TO).tokens.push(fresh)
  await services.refresh().catch(() => undefined)
  expect(() => offerFor({ ...services }, route)).not.toThrow('There is no token')
  services.catalogue.network(TO).tokens.pop()
  delete usdc.unlisted
})

test('a remembered network has no nodes and no settings, and the newest description wins', async () => {
  const { networks, tokens } = await readKnown(db())
  expect(networks.map(({ name, nodes, settings }) => [name, nodes, settings]).sort()).toEqual(
    ['ALPHA', 'BETA', 'GAMMA'].map((name) => [name, [], {}]),
  )
  expect(tokens).toHaveLength(6)
  await restart((all) => all.map((network) => ({ ...network, displayName: 'another name' })))
  expect((await readKnown(db())).networks.map(({ displayName }) => displayName)).toEqual(Array(3).fill('another name'))
  await restart(withoutNetwork)
  expect(hand.services.catalogue.networks.map(({ name }) => name)).toEqual(['ALPHA', 'GAMMA'])
  expect(hand.services.catalogue.network(TO).displayName).toBe('another name')
  expect(hand.services.catalogue.token(TO, 'native').unlisted).toBe(true)
  expect(hand.services.catalogue.token(FROM, 'native').unlisted).toBe(undefined)
})
