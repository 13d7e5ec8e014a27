/** A network whose family cannot recognise deposits is a destination only. */
import { ListedNetwork, RouteNetwork } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  const gamma = api.services.chains.get('GAMMA')
  if (gamma) {
    const walletContracts = { byName: () => ({}), native: 'the-native-contract' }
    Object.assign(gamma, { references: undefined, walletContracts })
  }
})
afterAll(() => api.stop())

const names = async (path: string) =>
  (await api.ask(z.array(RouteNetwork), `/api/v2/${path}`))
    .filter(({ tokens }) => tokens.length > 0)
    .map(({ name }) => name)

test('it offers no deposit method and is listed only as a destination', async () => {
  const networks = await api.ask(z.array(ListedNetwork), '/api/v2/networks')
  const gamma = networks.find(({ name }) => name === 'GAMMA')
  expect(gamma?.deposit_methods).toEqual([])
  expect(gamma?.token.contract, 'wallets ask it for balances').toBe('the-native-contract')
  expect(networks.find(({ name }) => name === 'BETA')?.token.contract).toBeNull()
  expect(await names('sources')).toEqual(['ALPHA', 'BETA'])
  expect(await names('destinations')).toEqual(['ALPHA', 'BETA', 'GAMMA'])
})

test('no quote is made from it, but one into it is', async () => {
  const ends = (from: string, to: string) =>
    `/api/v2/quote?source_network=${from}&source_token=USDC&destination_network=${to}&destination_token=USDC&amount=50`
  expect(await api.refuse(ends('GAMMA', 'ALPHA'))).toMatchObject({ code: 'ROUTE_NOT_FOUND_ERROR' })
  expect(await api.ask(z.unknown(), ends('ALPHA', 'GAMMA'))).toBeTruthy()
})

test('a network whose transfers name no swap is quoted as paid by deposit address; a swap needs the flag', async () => {
  const beta = api.services.chains.get('BETA')
  if (!beta) throw new Error('no chain')
  const { references } = beta
  Object.assign(beta, { references: undefined })
  const route = {
    source_network: 'BETA',
    source_token: 'USDC',
    destination_network: 'ALPHA',
    destination_token: 'USDC',
  }
  for (const call of ['limits', 'quote', 'detailed_quote']) {
    const plain = new URLSearchParams({ ...route, amount: '50' })
    const flagged = new URLSearchParams({ ...route, amount: '50', use_deposit_address: 'true' })
    const told = await api.ask(z.unknown(), `/api/v2/${call}?${plain}`)
    if (call === 'limits') expect(told).toEqual(await api.ask(z.unknown(), `/api/v2/${call}?${flagged}`))
  }
  const destination_address = await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)
  const body = { ...route, destination_address, amount: 50 }
  expect(await api.refuse(post('/api/v2/swaps', body))).toMatchObject({
    metadata: { use_deposit_address: expect.stringContaining('must be true') },
  })
  Object.assign(beta, { references })
})
