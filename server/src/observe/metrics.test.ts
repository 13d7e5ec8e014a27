import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('a process that does not sign reports no signer: a zero would page its operator', async () => {
  const { registry, signerUp } = createMetrics()
  expect(await registry.metrics()).not.toMatch(/^causeway_signer_up /m)
  signerUp.set(0)
  expect(await registry.metrics()).toMatch(/^causeway_signer_up 0$/m)
})
