/** Signed quotes: a client can prove that the terms and the deposit address are ours. */
import {
  CreatedSwap,
  canonicalJson,
  createClient,
  quoteStatement,
  SwapDetails,
  statementOf,
  VerificationError,
  verifyQuote,
  WellKnown,
} from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { movesOf } from '../../../../tests/support/service/moves.ts'

let api: TestApi
let keys: WellKnown
beforeAll(async () => {
  api = await startApi()
  keys = WellKnown.parse((await api.server.inject('/.well-known/causeway.json')).json())
})
afterAll(() => api.stop())

async function create(fields: object = {}): Promise<CreatedSwap> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const destination = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  return api.ask(
    CreatedSwap,
    post('/api/v2/swaps', { ...route, destination_address: destination, amount: 100, ...fields }),
  )
}

test('every funding method is signed, and the signature is valid when the swap is read again', async () => {
  for (const fields of [{}, { use_deposit_address: true }, { use_deposit_address: true, amount: null }]) {
    const created = await create(fields)
    await verifyQuote(created, keys)
    const read = await api.ask(SwapDetails, `/api/v2/swaps/${created.swap.id}`)
    await verifyQuote(read, keys)
    expect(read.signature).toEqual(created.signature)
  }
})

test('the signature stays valid after prices and the swap have changed', async () => {
  const { swap } = await create()
  api.services.prices.SIM = '2100'
  await api.services.refresh()
  await movesOf(api.services, swap.id).deposit()
  await verifyQuote(await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}`), keys)
})

test('the signed text is canonical JSON, whichever way it is built', async () => {
  const created = await create()
  const text = quoteStatement(created, 'now')
  expect(text).toBe(canonicalJson(statementOf(created, 'now')))
  const [action] = created.deposit_actions
  if (!action) throw new Error('there is an action')
  const typed = { ...created, deposit_actions: [{ ...action, typed_data: { b: 1, a: { d: 2, c: 3 } } }] }
  expect(quoteStatement(typed, 'now')).toContain('"typed_data":{"a":{"c":3,"d":2},"b":1}')
})

test('changing any signed value invalidates the signature', async () => {
  const created = await create({ use_deposit_address: true })
  const changes: ((answer: CreatedSwap) => void)[] = [
    (answer) => Object.assign(answer.deposit_actions[0] ?? {}, { to_address: 'thief' }),
    (answer) => Object.assign(answer.deposit_actions[0] ?? {}, { amount_in_base_units: '1' }),
    (answer) => Object.assign(answer.deposit_actions[0]?.token ?? {}, { contract: 'fake' }),
    (answer) => Object.assign(answer.deposit_actions[0]?.network ?? {}, { name: 'GAMMA' }),
    (answer) => answer.deposit_actions.pop(),
    (answer) => Object.assign(answer.quote, { receive_amount: 1 }),
    (answer) => Object.assign(answer.quote.destination_token, { decimals: 8 }),
    (answer) => Object.assign(answer.swap, { destination_address: 'thief' }),
    (answer) => Object.assign(answer.signature, { signed_at: '2020-01-01T00:00:00Z' }),
    (answer) => Object.assign(answer.signature, { key_id: 'another' }),
  ]
  for (const change of changes) {
    const changed = structuredClone(created)
    change(changed)
    await expect(verifyQuote(changed, keys), String(change)).rejects.toThrow(VerificationError)
  }
  const short = await api.ask(SwapDetails, `/api/v2/swaps/${created.swap.id}?exclude_deposit_actions=true`)
  await expect(verifyQuote(short, keys)).rejects.toThrow('no signature')
})

test('the response over the wire is what was signed', async () => {
  const url = await api.server.listen({ port: 0, host: '127.0.0.1' })
  const client = createClient({ baseUrl: url })
  const { swap } = await create({ amount: '1.000001', slippage: '0.00000001' })
  await verifyQuote(await client.swap(swap.id), await client.wellKnown())
})
