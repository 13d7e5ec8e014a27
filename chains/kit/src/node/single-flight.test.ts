import { expect, it } from 'vitest'
import { singleFlight } from './single-flight.ts'

it('asks once for concurrent callers with the same key', async () => {
  const shared = singleFlight<number>()
  let asked = 0
  const request = async () => ++asked
  expect(await Promise.all([shared('a', request), shared('a', request), shared('b', request)])).toEqual([1, 1, 2])
})

it('asks again once the answer has come', async () => {
  const shared = singleFlight<number>()
  let asked = 0
  const request = async () => ++asked
  expect([await shared('a', request), await shared('a', request)]).toEqual([1, 2])
})

it('gives a failure to all callers that wait for it, and does not cache it', async () => {
  const shared = singleFlight<number>()
  const fail = () => Promise.reject(new Error('away'))
  const settled = await Promise.allSettled([shared('a', fail), shared('a', fail)])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared('a', async () => 1)).toBe(1)
})
