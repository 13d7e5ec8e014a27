/** What a page could not read is asked for again until it is there, unless the question itself was refused. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'
import { expect, test, vi } from 'vitest'
import { keepTrying } from './keep-trying.ts'

const refusal = (status: number) =>
  new RequestError({ status, code: 'X', message: 'no', metadata: {}, correlationId: null, retryAfterMs: null })

/** Answers each time with the next of these; what comes after the last one is seen by its count. */
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

test('silence, faults and haste pass: it is asked until there is an answer, and then no more', async () => {
  const silence = new NoAnswerError('silence')
  const [fault, haste] = [refusal(503), refusal(429)]
  const { told, asked } = reading(silence, fault, haste, 'here')
  await vi.waitFor(() => expect(told).toEqual([silence, fault, haste, 'here']))
  expect(asked()).toBe(4)
})

test('a question that was refused is not asked again', async () => {
  const refused = refusal(404)
  const { told, asked } = reading(refused, new NoAnswerError('later'))
  const other = reading(new NoAnswerError('silence'), 'here')
  await vi.waitFor(() => expect(other.told).toHaveLength(2))
  expect(told).toEqual([refused])
  expect(asked()).toBe(1)
})

test('after it was stopped nothing is told, not even of what was asked before', async () => {
  const { told, stop } = reading('here')
  stop()
  const other = reading('here')
  await vi.waitFor(() => expect(other.told).toEqual(['here']))
  expect(told).toEqual([])
})
