/**
 * Thousands of requests generated from `openapi.json` by a seed: valid, invalid and hostile. No response may be a 5xx
 * or have a shape that the document does not define. `FUZZ_SEED` sets another seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { createFuzz, failure, operations } from '../../../../tests/support/service/fuzz.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_315)
const REQUESTS = 3_000

let api: TestApi
let next: Awaited<ReturnType<typeof createFuzz>>
beforeAll(async () => {
  api = await startApi()
  next = await createFuzz(api, SEED)
})
afterAll(() => api.stop())

test(`no response is a 5xx or has an undocumented shape (seed ${SEED})`, { timeout: 120_000 }, async () => {
  const counts = new Map(operations.map(({ key: name }) => [name, { good: 0, bad: 0 }]))
  for (let n = 0; n < REQUESTS; n++) {
    const { operation, request } = next()
    const answer = await api.server.inject(request)
    const told = `${n}: ${JSON.stringify(request).slice(0, 600)} → ${answer.statusCode} ${answer.body.slice(0, 600)}`
    if (answer.statusCode >= 500) expect.fail(told)
    const isGood = answer.statusCode === 200
    const checked = (isGood ? operation.answer : failure).safeParse(answer.json())
    if (!checked.success) expect.fail(`${told}\n${z.prettifyError(checked.error)}`)
    const count = counts.get(operation.key)
    if (count) count[isGood ? 'good' : 'bad']++
  }
  // An operation that never succeeds is not really tested. Those listed cannot succeed here.
  const NEVER_GOOD = [
    'GET /api/v2/swaps/{swapId}/authorize',
    'POST /api/v2/swaps/{swapId}/authorize',
    'POST /api/v2/swaps/{swapId}/refund_address',
    'POST /api/v2/webhooks/replay',
    'PATCH /api/v2/webhooks/{webhookId}',
    'POST /api/v2/webhooks/{webhookId}/test',
    'DELETE /api/v2/webhooks/{webhookId}',
  ]
  const untried = [...counts].filter(([name, { good }]) => good === 0 && !NEVER_GOOD.includes(name))
  expect(untried).toEqual([])
  const total = [...counts.values()].reduce((sum, { good }) => sum + good, 0)
  expect(total).toBeGreaterThan(REQUESTS / 5)
})
