/** Movements are reported completely or not at all: a missing one would be paid a second time after a restore. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Question, sent, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

interface Entry {
  time: number
  hash: string
  delta: Record<string, unknown>
}

/** Sends one payment and reads movements through a gateway that shows false rows. */
async function movedBy(change: (entry: Entry, isOurs: boolean) => Entry[]) {
  const { block } = await bed.adapter.balances([])
  const { slot } = await sent(bed.adapter, bed.payment(bed.user.address, 1_000n))
  await bed.local.mine(bed.network.name, 4)
  const after = await bed.adapter.balances([])
  const asked: (Question & { endTime?: number })[] = []
  const proxy = await startProxy(bed.url, async (question, pass) => {
    if (question.type !== 'userNonFundingLedgerUpdates') return undefined
    asked.push(question)
    const { body } = await pass()
    return { body: (body as Entry[]).flatMap((row) => change(row, row.delta.nonce === Number(slot[0]))).slice(0, 500) }
  })
  const behind = await bed.open({ nodes: [proxy.url] })
  const [from, to] = [block?.number ?? 0n, after.block?.number ?? 0n]
  const found = await Promise.resolve(behind.audit?.movements(bed.treasury, from, to)).finally(proxy.stop)
  return { found, asked, slot, to }
}

it('only the requested range is read', async () => {
  const { found, asked, slot, to } = await movedBy((entry) => [entry])
  expect(found?.map((one) => one.slot)).toContainEqual(slot)
  expect(asked.map(({ endTime }) => endTime)).toEqual([Number(to) * 1_000 + 999])
})

it.each<[string, (entry: Entry) => Entry[]]>([
  ['a moment with more rows than a page', (entry) => Array.from({ length: 500 }, () => entry)],
  ['a row that cannot be read', (entry) => [{ ...entry, hash: '?' }]],
  ['a transfer of which the amount cannot be read', (entry) => [{ ...entry, delta: { ...entry.delta, amount: '?' } }]],
  ['a transfer of ours without its nonce', (entry) => [{ ...entry, delta: { ...entry.delta, nonce: null } }]],
])('%s makes it be asked for later', async (_, change) => {
  await expect(movedBy((entry, isOurs) => (isOurs ? change(entry) : [entry]))).rejects.toThrow(RetryLater)
})
