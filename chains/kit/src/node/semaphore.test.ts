import { expect, test } from 'vitest'
import { semaphore } from './semaphore.ts'

/** Work that ends on demand and records when it started. */
function workplace() {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const work = (name: string) => () => {
    begun.push(name)
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return end.promise
  }
  return { begun, work, end: (name: string) => ends.get(name) }
}

test('at most n run at once, the others wait in order, and each gets its own result', async () => {
  const inTurn = semaphore(2)
  const { begun, work, end } = workplace()
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((name) => inTurn(work(name)))
  expect(begun).toEqual(['a', 'b'])
  end('b')?.resolve('of b')
  expect(await second).toBe('of b')
  expect(begun).toEqual(['a', 'b', 'c'])
  end('a')?.resolve('of a')
  expect(await first).toBe('of a')
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  end('c')?.resolve('of c')
  end('d')?.resolve('of d')
  expect(await Promise.all([third, fourth])).toEqual(['of c', 'of d'])
})

test('a failed call frees its place for the next, and an unused place stays free', async () => {
  const inTurn = semaphore(1)
  const { begun, work, end } = workplace()
  const failing = inTurn(work('a'))
  const next = inTurn(work('b'))
  end('a')?.reject(new Error('it broke'))
  await expect(failing).rejects.toThrow('it broke')
  expect(begun).toEqual(['a', 'b'])
  end('b')?.resolve('of b')
  await next
  const atOnce = inTurn(work('c'))
  expect(begun).toEqual(['a', 'b', 'c'])
  inTurn(work('d'))
  expect(begun).toEqual(['a', 'b', 'c'])
  end('c')?.resolve('of c')
  expect(await atOnce).toBe('of c')
})
