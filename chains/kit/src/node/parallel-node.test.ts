import { expect, it } from 'vitest'
import { type Call, CallRejected } from './calls.ts'
import { parallelNode } from './parallel-node.ts'

const call = (method: string): Call<unknown> => ({ method, params: [], read: (answer) => answer })

it('answers calls in order with limited concurrency, and names itself without its path', async () => {
  let [running, most] = [0, 0]
  const counted: string[] = []
  const options = { timeoutMs: 5, parallel: 2, spent: (method: string) => void counted.push(method) }
  const node = parallelNode('https://node.example:1/secret', options, async ({ url, timeoutMs }, { method }) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running -= 1
    return [method, url, timeoutMs]
  })
  const wanted = ['a', 'b', 'c', 'd']
  expect(await node.ask(wanted.map(call))).toEqual(wanted.map((name) => [name, 'https://node.example:1/secret', 5]))
  expect({ name: node.name, most, counted }).toEqual({ name: 'node.example:1', most: 2, counted: wanted })
})

it('throws the first refusal, or leaves it in its place', async () => {
  const refusal = new CallRejected('b', 1, 'no')
  const node = parallelNode('https://node.example', { timeoutMs: 5, parallel: 2 }, async (_, { method }) =>
    method === 'b' ? refusal : method,
  )
  expect(await node.settle([call('a'), call('b')])).toEqual(['a', refusal])
  await expect(node.ask([call('a'), call('b')])).rejects.toBe(refusal)
})
