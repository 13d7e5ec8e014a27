/** API requests share a limited part of a network's node capacity; watchers and payouts are never delayed by them. */
import type { ChainAdapter } from '@causeway/core'
import { expect, test } from 'vitest'
import { forCallers } from './caller-budget.ts'

/** A chain with only the signature check; each check ends on demand. */
function silentChain() {
  const ends: (() => void)[] = []
  const verify = () => new Promise<boolean>((resolve) => void ends.push(() => resolve(true)))
  const chain = { network: { name: 'SLOW' }, messages: { verify } } as unknown as ChainAdapter
  return { chains: new Map([['SLOW', chain]]), ends }
}
const CLAIM = { address: 'a', text: 't', signature: 's' }

test('concurrency is limited, the next requests queue, and those above the limit are told to retry', async () => {
  const { chains, ends } = silentChain()
  const ask = forCallers(chains, { atOnce: 2, mostWaiting: 1, patienceMs: 60_000 }).get('SLOW')?.messages?.verify
  if (!ask) throw new Error('no chain')
  const asked = [ask(CLAIM), ask(CLAIM), ask(CLAIM)]
  expect(ends).toHaveLength(2)
  await expect(ask(CLAIM)).rejects.toThrow('too many callers')
  ends[0]?.()
  await asked[0]
  expect(ends).toHaveLength(3)
  ends[1]?.()
  ends[2]?.()
  expect(await Promise.all(asked)).toEqual([true, true, true])
})

test('a caller times out, and its place is free again only when the node call ends', async () => {
  const { chains, ends } = silentChain()
  const ask = forCallers(chains, { atOnce: 1, mostWaiting: 0, patienceMs: 1 }).get('SLOW')?.messages?.verify
  if (!ask) throw new Error('no chain')
  await expect(ask(CLAIM)).rejects.toThrow('no node answered in time')
  await expect(ask(CLAIM)).rejects.toThrow('too many callers')
  ends[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  const second = ask(CLAIM)
  ends[1]?.()
  expect(await second).toBe(true)
})
