/** The reward of a swap: once, in one campaign, and only for an address that can be paid. */
import { CreatedSwap } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChain } from '../../../../chains/simulated/local/src/index.ts'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../../../tests/support/service/progress.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { insertDepositAddress } from '../../store/watch/addresses.ts'
import { promiseReward } from './reward.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
/** Where the rewards are paid. */
const HOME = 'GAMMA'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ SERVICE_FEE_BPS: '100' })
  const common = {
    display_name: 'Spring',
    token: api.services.catalogue.network(HOME).nativeToken,
    budgetUnits: 10n ** 18n,
    minPayoutUnits: 0n,
    starts_at: '2020-01-01T00:00:00Z',
    ends_at: '2100-01-01T00:00:00Z',
    period_days: 7,
  }
  const contract = api.services.catalogue.network(HOME).tokens.at(-1)?.contract ?? ''
  // The first campaign that applies is used.
  api.services.addCampaign({
    ...common,
    name: 'holders',
    type: 'for_nft_holders',
    nft_contract: contract,
    fee_share: 0.9,
  })
  api.services.addCampaign({ ...common, name: 'spring', type: 'default', nft_contract: null, fee_share: 0.5 })
})
afterAll(() => api.stop())

async function recipient(index: number): Promise<string> {
  return (await chainOf(api.services.chains, 'ALPHA').depositAddresses?.derive(900_000 + index)) ?? ''
}

async function complete(address: string): Promise<string> {
  await api.services.refresh()
  const { swap } = await api.ask(
    CreatedSwap,
    post('/api/v2/swaps', { ...ROUTE, destination_address: address, amount: 100 }),
  )
  await confirmDeposit(api.services, swap.id, await seeDeposit(api.services, swap.id))
  await landPayouts(api.services, swap.id)
  return swap.id
}

async function earned(swapId: string): Promise<string[]> {
  const rows = await api.services.database
    .selectFrom('reward')
    .select('campaign')
    .where('swap_id', '=', swapId)
    .execute()
  return rows.map(({ campaign }) => campaign)
}

test('a swap to an address of our own on the network of the rewards earns nothing', async () => {
  const [stranger, own] = [await recipient(1), await recipient(2)]
  await insertDepositAddress(api.services.database, {
    ...{ network: HOME, account: 'treasury', branch: 0, index: 1, address: own, purpose: 'a swap' },
  })
  expect(await earned(await complete(stranger))).toEqual(['spring'])
  expect(await earned(await complete(own))).toEqual([])
})

test('a swap that has earned in one campaign does not earn in another when the chain answers late', async () => {
  const holder = await recipient(3)
  const swapId = await complete(holder)
  expect(await earned(swapId)).toEqual(['spring'])
  const contract = api.services.catalogue.network(HOME).tokens.at(-1)?.contract ?? null
  findChain(HOME).chain.mint(holder, contract, 1n)
  await promiseReward(api.services, swapId)
  expect(await earned(swapId)).toEqual(['spring'])
})
