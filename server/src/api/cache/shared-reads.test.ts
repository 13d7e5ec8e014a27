/** Equal reads share one, and no caller gets an answer that was read before it asked. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSharedReads } from './shared-reads.ts'

test('calls while one runs share the next one', async () => {
  const share = createSharedReads<number>()
  let reads = 0
  const read = async () => ++reads
  const first = share('a', read)
  const others = [share('a', read), share('a', read)]
  expect(await Promise.all([first, ...others])).toEqual([1, 2, 2])
  expect(await share('a', read)).toBe(3)
})

test('another question is read on its own', async () => {
  const share = createSharedReads<string>()
  const both = [share('a', async () => 'of a'), share('b', async () => 'of b')]
  expect(await Promise.all(both)).toEqual(['of a', 'of b'])
})

test('a failure reaches the callers who share it, and no later one', async () => {
  const share = createSharedReads<string>()
  const fail = async () => {
    throw new Error('the database is gone')
  }
  const answers = await Promise.allSettled([share('a', fail), share('a', fail), share('a', fail)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await share('a', async () => 'back')).toBe('back')
})

test('whatever the order of calls and answers, no answer is older than its question', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }),
      async (scheduler, keys) => {
        const share = createSharedReads<number>()
        let clock = 0
        const calls = scheduler.scheduleSequence(
          keys.map((key) => async () => {
            const asked = ++clock
            const answer = share(key, () => {
              const begun = ++clock
              return scheduler.schedule(Promise.resolve(begun))
            })
            answered.push(answer.then((begun) => expect(begun).toBeGreaterThan(asked)))
          }),
        )
        const answered: Promise<void>[] = []
        await scheduler.waitAll()
        await calls.task
        await Promise.all(answered)
        expect(answered).toHaveLength(keys.length)
      },
    ),
  )
})
