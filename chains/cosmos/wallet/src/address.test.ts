/** Pasted addresses of Cosmos chains. */
import { expect, it } from 'vitest'
import { family } from './index.ts'

const network = {
  ...{ name: 'OSMOSIS_TESTNET', display_name: 'Osmosis', chain_id: 'osmo-test-5', nodes: [] },
  token: { symbol: 'OSMO', contract: null, decimals: 6 },
  transaction_explorer_template: '',
}
const read = (text: string) => family.readAddress(text, network)

it('is accepted, all in capitals too', () => {
  const address = 'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh'
  const ok = { state: 'ok', address, amount: null, fromLink: false }
  expect(read(address)).toEqual(ok)
  expect(read(address.toUpperCase())).toEqual(ok)
})

it.each([
  '',
  'Cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh',
  'cosmosvaloper1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
])('%s is not an address', (text) => expect(read(text)).toEqual({ state: 'not_one' }))
