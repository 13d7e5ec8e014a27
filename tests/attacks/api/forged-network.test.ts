/**
 * Quote forgery, varied: a page or a proxy leaves the signed name of the network and changes the chain behind it. Wallets and payment links go
 * by the chain: a hundred coins of a cheap chain become a hundred of an expensive one, sent where the service expects nothing.
 */
import { family as evm } from '@causeway/evm-wallet'
import { CreatedSwap, verifyQuote, WellKnown } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

test('the chain of a deposit action cannot be changed', async () => {
  const keys = WellKnown.parse((await api.server.inject('/.well-known/causeway.json')).json())
  const route = { source_network: 'ALPHA', source_token: 'SIM', destination_network: 'BETA', destination_token: 'SIM' }
  const destination_address = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const body = { ...route, destination_address, amount: 1, use_deposit_address: true }
  const created = await api.ask(CreatedSwap, post('/api/v2/swaps', body))
  await verifyQuote(created, keys)
  const [action] = created.deposit_actions
  if (!action) throw new Error('there is no deposit action')
  const forged = { ...action, network: { ...action.network, chain_id: '1' } }
  expect(evm.paymentLink(action)).toContain(`@${action.network.chain_id}?value=`)
  const isAccepted = await verifyQuote({ ...created, deposit_actions: [forged] }, keys).then(
    () => true,
    () => false,
  )
  expect({ isAccepted, link: evm.paymentLink(forged) }).toMatchObject({ isAccepted: false })
})
