/** A failed read is retried until it succeeds, unless the request itself was rejected. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'
import { expect, test, vi } from 'vitest'
import { keepTrying } from './keep-trying.ts'

const refusal = (status: number) =>
  new RequestError({ status, code: 'X', message: 'no', metadata: {}, correlationId: null, retryAfterMs: null })

/** Answers with these in turn; calls after the last one are counted. */
function reading(...answers: unknown[]) {
  const told: unknown[] = []
  let asked = 0
  const read = async () => {
    const answer = answers[asked++]
    if (answer instanceof Error) throw answer
    return answer
  }
  const stop = keepTrying(read, { onFound: (found) => told.push(found), onProblem: (error) => told.push(error) }, 1)
  return { told, stop, asked: () => asked }
}

test('timeouts, server errors and rate limits are retried until an answer, and then no more', async () => {
  const silence = new NoAnswerError('silence')
  const [fault, haste] = [refusal(503), refusal(429)]
  const { told, asked } = reading(silence, fault, haste, 'here')
  await vi.waitFor(() => expect(told).toEqual([silence, fault, haste, 'here']))
  expect(asked()).toBe(4)
})

test('a rejected request is not retried', async () => {
  const refused = refusal(404)
  const { told, asked } = reading(refused, new NoAnswerError('later'))
  const other = reading(new NoAnswerError('silence'), 'here')
  await vi.waitFor(() => expect(other.told).toHaveLength(2))
  expect(told).toEqual([refused])
  expect(asked()).toBe(1)
})

test('after stop no callback runs, not even for a request in flight', async () => {
  const { told, stop } = reading('here')
  stop()
  const other = reading('here')
  await vi.waitFor(() => expect(other.told).toEqual(['here']))
  expect(told).toEqual([])
})
