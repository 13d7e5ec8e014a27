import { describe, expect, it } from 'vitest'
import { testErrorTable } from '../../../../tests/support/chains/error-table.ts'
import { classOf, ERRORS, isExecutionFailure, isOutOfGas, LAYER_ERRORS } from './errors.ts'
import { narrow, newLimits } from './limits.ts'

describe('errors of nodes', () => testErrorTable(ERRORS))
describe('errors of nodes whose chain adds gas', () => testErrorTable(LAYER_ERRORS))

it('gas that is too low is final on a plain chain, and passes where the L1 price adds gas', () => {
  const error = { message: 'eth_sendRawTransaction: intrinsic gas too low' }
  expect(classOf(error)).toBe('permanent')
  expect(classOf(error, { addsGas: true })).toBe('retry')
  expect([isOutOfGas(error), isOutOfGas(error, { addsGas: true })]).toEqual([true, false])
  expect(isExecutionFailure(error, { addsGas: true })).toBe(false)
})

it.each([
  'block range extends beyond current head block',
  'block range extends beyond current head block: requested 21000100, head 21000000',
  'requested block range [4096, 8192] is beyond latest executed block 4000 (node is still syncing)',
])('a node that is behind does not narrow the range: %s', (message) => expect(classOf({ message })).toBe('behind'))

it.each([
  ['eth_getLogs is limited to a 10 block range', 10],
  ['range 1000000 exceeds limit of 10000', 10_000],
  ['query exceeds max block range 100000', 100_000],
  ['exceed maximum block range: 5000', 5_000],
])('a limit that a provider names is used at once: %s', (message, blocks) => {
  expect(classOf({ message })).toBe('asks too much')
  const limits = newLimits(100, 1_000_000)
  narrow(limits, 1_000_000, message)
  expect(limits.logBlocks).toBe(blocks)
})
