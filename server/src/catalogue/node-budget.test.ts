/** The request budget of a network: shared by all callers in the process, with a reserve for urgent calls. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { expect, test } from 'vitest'
import { createMetrics } from '../observe/metrics.ts'
import { budgeted, createNodeBudgets } from './node-budget.ts'

const network = { name: 'SHORT', maxRequestsPerMinute: 100 }

function chainsWith(answers: Partial<ChainAdapter>) {
  return new Map([['SHORT', { network, ...answers } as unknown as ChainAdapter]])
}

test("when a minute's budget is used up payments continue, and quotes and callers must retry", async () => {
  const metrics = createMetrics()
  const traffics = createNodeBudgets(metrics, () => new Date(0))
  const asked: string[] = []
  const chains = chainsWith({
    fees: async () => {
      asked.push('fees')
      return { nativeTransfer: 1n, tokenTransfer: 1n, sweep: 1n }
    },
    broadcast: async () => void asked.push('broadcast'),
    inspect: async () => {
      asked.push('inspect')
      return { state: 'unknown' as const }
    },
    lateTransactions: {
      maxForgottenTxAgeMs: 0,
      mempoolTransactions: async () => {
        asked.push('mempool')
        return []
      },
    },
  })
  const ours = budgeted(chains, traffics).get('SHORT')
  const callers = budgeted(chains, traffics, 'callers').get('SHORT')
  const { spent } = traffics(network as ChainAdapter['network'])
  for (let i = 0; i < 85; i++) spent('eth_call')
  await expect(ours?.fees()).rejects.toThrow(RetryLater)
  await expect(callers?.inspect('x', { owned: async () => new Set() })).rejects.toThrow(RetryLater)
  await expect(callers?.lateTransactions?.mempoolTransactions?.('x')).rejects.toThrow(RetryLater)
  await ours?.inspect('x', { owned: async () => new Set() })
  for (let i = 0; i < 500; i++) spent('eth_call')
  await ours?.broadcast({ hash: '', bytes: '' })
  await ours?.lateTransactions?.mempoolTransactions?.('x')
  expect(asked).toEqual(['inspect', 'broadcast', 'mempool'])
  expect((await metrics.nodeRequests.get()).values).toEqual([
    { labels: { network: 'SHORT', method: 'eth_call' }, value: 585 },
  ])
})

test("a request counts with its node's weight, and is one request", async () => {
  const metrics = createMetrics()
  const traffics = createNodeBudgets(metrics, () => new Date(0))
  const fees = async () => ({ nativeTransfer: 1n, tokenTransfer: 1n, sweep: 1n })
  const ours = budgeted(chainsWith({ fees }), traffics).get('SHORT')
  const { spent } = traffics(network as ChainAdapter['network'])
  spent('userRole', 60)
  await ours?.fees()
  spent('userNonFundingLedgerUpdates', 45)
  await expect(ours?.fees()).rejects.toThrow(RetryLater)
  expect((await metrics.nodeRequests.get()).values.map(({ value }) => value)).toEqual([1, 1])
})
