/**
 * Attack A12: a hostile page inserts its own refund address. The swap's response and the service's signature show it.
 */
import { CreatedSwap, SwapDetails, statementOf, VerificationError, verifyQuote, WellKnown } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
let keys: WellKnown
let recipient: string
let own: string
let thief: string
beforeAll(async () => {
  api = await startApi()
  keys = WellKnown.parse((await api.server.inject('/.well-known/causeway.json')).json())
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  own = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_002)) ?? ''
  thief = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_003)) ?? ''
})
afterAll(() => api.stop())

function make(fields: object): Promise<CreatedSwap> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const body = { ...route, destination_address: recipient, amount: 100, ...fields }
  return api.ask(CreatedSwap, post('/api/v2/swaps', body))
}

test('the refund address is shown, when the swap is made and when it is read', async () => {
  const made = await make({ refund_address: own })
  expect(made.swap.refund_address).toBe(own)
  const read = await api.ask(SwapDetails, `/api/v2/swaps/${made.swap.id}`)
  expect(read.swap.refund_address).toBe(own)
  expect((await make({})).swap.refund_address).toBe(null)
})

test('a page cannot hide its own address: the signature covers the effective one', async () => {
  const planted = await make({ refund_address: thief })
  const hidden = { ...planted, swap: { ...planted.swap, refund_address: own } }
  await expect(verifyQuote(hidden, keys)).rejects.toThrow(VerificationError)
  await expect(verifyQuote({ ...planted, swap: { ...planted.swap, refund_address: null } }, keys)).rejects.toThrow(
    'not what the service signed',
  )
})

test('a caller that states the expected address is warned of another one', async () => {
  const planted = await make({ refund_address: thief })
  await verifyQuote(planted, keys, { refund_address: thief, destination_address: recipient })
  await expect(verifyQuote(planted, keys, { refund_address: own })).rejects.toThrow(`is ${thief} and not ${own}`)
  await expect(verifyQuote(planted, keys, { refund_address: null })).rejects.toThrow(VerificationError)
  await expect(verifyQuote(planted, keys, { destination_address: own })).rejects.toThrow('destination_address')
})

test('the quote’s expiry and what becomes of its price are signed, under a version of their own', async () => {
  const made = await make({ refund_address: own })
  const later = { ...made, quote: { ...made.quote, expires_at: '2099-01-01T00:00:00.000Z' } }
  await expect(verifyQuote(later, keys)).rejects.toThrow(VerificationError)
  const statement = statementOf(made, made.signature.signed_at)
  expect(statement.type).toBe('causeway.quote.v3')
  expect(statement.quote.price_terms).toContain('asked for again for 30 minutes')
})
