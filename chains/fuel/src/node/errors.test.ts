import { describe, expect, it } from 'vitest'
import { testErrorTable } from '../../../../tests/support/chains/error-table.ts'
import { classOf, ERRORS } from './errors.ts'

describe('errors of nodes', () => testErrorTable(ERRORS))

it.each([
  'Transaction collided: Transaction with the same UTXO (id: 0x01) already exists and is more worth it',
  'Transaction dependency error: Transaction chain dependency is already too big',
  'The UTXO input 0x01 was already spent',
  'BlobId is already taken 0x01',
])('another transaction in the pool does not count as sent: %s', (message) => {
  expect(classOf({ message: `causewaySubmit: ${message}` })).toBe('retry')
})
