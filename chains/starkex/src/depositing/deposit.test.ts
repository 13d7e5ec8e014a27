/** Every reference of this network fits the nonce of a transfer, and is read from it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { depositAction, referenceIn } from './deposit.ts'

const { nativeToken: token } = sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], {
  ...{ name: 'IMMUTABLEX_SANDBOX', type: 'starkex' },
})

test('a reference of 28 bits survives its way through the nonce', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 28n - 1n }), (reference) => {
      const { callData } = depositAction({ token, units: 1n, receiver: '0x', reference, sourceAddress: null })
      expect(referenceIn(Number(callData))).toBe(reference)
    }),
  )
})
