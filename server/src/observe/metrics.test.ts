import { expect, test } from 'vitest'
import { createMetrics, startCounters } from './metrics.ts'

test('a process that does not sign reports no signer: a zero would page its operator', async () => {
  const { registry, signerUp } = createMetrics()
  expect(await registry.metrics()).not.toMatch(/^causeway_signer_up /m)
  signerUp.set(0)
  expect(await registry.metrics()).toMatch(/^causeway_signer_up 0$/m)
})

test('counters start at zero for every status and network, so that the first event is an increase', async () => {
  const metrics = createMetrics()
  startCounters(metrics, [{ name: 'ALPHA' }])
  const text = await metrics.registry.metrics()
  expect(text).toMatch(/^causeway_swap_transitions_total\{status="refund_pending"\} 0$/m)
  expect(text).toMatch(/^causeway_payouts_total\{network="ALPHA",step="reverted"\} 0$/m)
  expect(text).toMatch(/^causeway_chain_errors_total\{network="ALPHA"\} 0$/m)
  metrics.transitions.inc({ status: 'refund_pending' })
  expect(await metrics.registry.metrics()).toMatch(/^causeway_swap_transitions_total\{status="refund_pending"\} 1$/m)
})

test('the version of the program is a label', async () => {
  expect(await createMetrics().registry.metrics()).toMatch(
    /^causeway_build_info\{version="[\d.]+",node="v\d[\d.]*"\} 1$/m,
  )
})
