/** Wrapped adapters keep every capability, and no call bypasses the budget of its wrapper. */
import type { ChainAdapter, Family, Signer } from '@causeway/core'
import { catalogueOf } from '@causeway/core'
import { expect, test } from 'vitest'
import { fullAdapter, membersOf } from '../../../tests/support/chains/full-adapter.ts'
import { createMetrics } from '../observe/metrics.ts'
import { forCallers } from './caller-budget.ts'
import { openChains } from './chains.ts'
import { budgeted, createNodeBudgets } from './node-budget.ts'

const NAME = 'FULL'
const network = { name: NAME, type: 'evm' as const, maxRequestsPerMinute: 100, tokens: [] }

const pathsOf = (adapter: ChainAdapter | undefined) => [...(adapter ? membersOf(adapter).keys() : [])].sort()

/** Calls every asynchronous method; returns the paths of those that were refused. */
async function refusedBy(adapter: ChainAdapter | undefined, isAsync: (path: string) => boolean): Promise<string[]> {
  const refused: string[] = []
  for (const [path, member] of adapter ? membersOf(adapter) : []) {
    if (!isAsync(path) || typeof member !== 'function') continue
    await Promise.resolve(Reflect.apply(member, undefined, [])).catch(() => refused.push(path))
  }
  return refused.sort()
}

/** Every asynchronous method, found by calling it. */
async function asyncCalls(): Promise<Set<string>> {
  const asked: string[] = []
  await refusedBy(fullAdapter(network, asked), () => true)
  return new Set(asked)
}

const UNLIMITED_BY_NODES = [
  'accounts.isContract',
  'depositAction',
  'depositAddresses.derive',
  'depository.change',
  'depository.depositAction',
  'depository.report',
  'gasless.authorize',
  'gasless.depositAction',
  'messages.verify',
  'nfts.isHeldBy',
  'sign',
  'tokenContracts.describe',
]

test('no wrapper loses a member of the adapter or of a capability', async () => {
  const chain = fullAdapter(network)
  const chains = new Map<string, ChainAdapter>([[NAME, chain]])
  const budgets = createNodeBudgets(createMetrics(), () => new Date(0))
  const signer = { review: async () => undefined } as unknown as Signer
  const families = async () => ({ open: async () => chain }) as unknown as Family
  const log = { info() {}, warn() {}, error() {} }
  const wrapped = [
    budgeted(chains, budgets).get(NAME),
    budgeted(chains, budgets, 'callers').get(NAME),
    forCallers(chains).get(NAME),
    forCallers(budgeted(chains, budgets, 'callers')).get(NAME),
    (await openChains(catalogueOf([chain.network]), families, signer, log)).get(NAME),
  ]
  for (const adapter of wrapped) {
    expect(adapter).not.toBe(chain)
    expect(pathsOf(adapter)).toEqual(pathsOf(chain))
  }
})

test('when the minute is used up, every call that asks a node is held back, capabilities included', async () => {
  const known = await asyncCalls()
  const asked: string[] = []
  const chains = new Map<string, ChainAdapter>([[NAME, fullAdapter(network, asked)]])
  const budgets = createNodeBudgets(createMetrics(), () => new Date(0))
  budgets(chains.get(NAME)?.network ?? fullAdapter(network).network).spent('eth_call', 1_000)
  const refused = await refusedBy(budgeted(chains, budgets, 'callers').get(NAME), (path) => known.has(path))
  expect(asked.sort()).toEqual(UNLIMITED_BY_NODES)
  expect(refused).toEqual([...known].filter((path) => !UNLIMITED_BY_NODES.includes(path)).sort())
})

test('when callers use up their share, every call that they wait for is turned away, capabilities included', async () => {
  const known = await asyncCalls()
  const chains = new Map<string, ChainAdapter>([[NAME, fullAdapter(network)]])
  const full = forCallers(chains, { atOnce: 0, mostWaiting: 0, patienceMs: 1_000 }).get(NAME)
  expect(await refusedBy(full, (path) => known.has(path))).toEqual([
    'depositAction',
    'depository.depositAction',
    'gasless.authorize',
    'gasless.depositAction',
    'inspect',
    'messages.verify',
    'nfts.isHeldBy',
  ])
})
