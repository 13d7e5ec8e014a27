/** Only payment details that match the reviewed terms are shown. */

import type { SwapDetails } from '@causeway/sdk/light'
import { expect, test } from 'vitest'
import { isAsAgreed, type Terms } from './agreed.ts'

const TERMS: Terms = {
  sourceNetwork: 'A',
  sourceToken: null,
  destinationNetwork: 'B',
  destinationToken: '0xCd',
  amount: '0.123456789',
  recipient: '0xAbC',
  refund: '0xDeF',
}
const answer = (quote: object = {}, swap: object = {}) =>
  ({
    quote: {
      source_network: { name: 'A' },
      source_token: { contract: null, precision: 8 },
      destination_network: { name: 'B' },
      destination_token: { contract: '0xCd' },
      requested_amount: 0.12345678,
      ...quote,
    },
    swap: { destination_address: '0xabc', refund_address: '0xdef', ...swap },
  }) as unknown as SwapDetails

test('the same route, amount and addresses match', () => {
  expect(isAsAgreed(answer(), TERMS)).toBe(true)
  expect(isAsAgreed(answer({ requested_amount: 0 }), { ...TERMS, amount: null })).toBe(true)
  expect(isAsAgreed(answer({}, { refund_address: null }), { ...TERMS, refund: null })).toBe(true)
})

test.each([
  ['another network', answer({ source_network: { name: 'X' } })],
  ['another token', answer({ destination_token: { contract: '0xEe' } })],
  ['another amount', answer({ requested_amount: 0.2 })],
  ['another recipient', answer({}, { destination_address: '0xdef' })],
  ['another address to go back to', answer({}, { refund_address: '0xabc' })],
  ['no address to go back to', answer({}, { refund_address: null })],
])('%s does not match', (_, changed) => expect(isAsAgreed(changed, TERMS)).toBe(false))
