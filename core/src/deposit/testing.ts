/** The events on the model chain of `judge.test.ts`, and the transfers that its transaction may make. */
import type { DepositTransfer } from './observation.ts'

export const FINAL = 4

const transfer = (index: number, fields: Partial<DepositTransfer> = {}): DepositTransfer => ({
  ...{ index, token: 'usdc', to: 'us', from: 'alice', senders: ['alice'], units: 50n, reference: 7n },
  ...{ alias: null, doubt: null, requiresFinality: false, ...fields },
})
/** The transfers that the transaction may make, depending on the branch. */
export const CONTENTS: readonly DepositTransfer[][] = [
  [transfer(0)],
  [transfer(0, { units: 49n })],
  [transfer(0, { from: 'bob', senders: ['bob'] })],
  [transfer(1)],
  [transfer(1, { units: 51n })],
  [transfer(0), transfer(1, { reference: 8n })],
  [transfer(0, { reference: 8n }), transfer(1)],
  [],
  [transfer(0, { units: 7n }), transfer(1, { units: 43n })],
  [transfer(0, { units: 43n }), transfer(1, { units: 7n })],
  [transfer(0, { units: 50n }), transfer(1, { units: 50n })],
]

export type Node = 'honest' | 'stale' | 'lagging' | 'silent'
export type Command =
  | { is: 'round'; node: Node; blocks: number }
  | { is: 'include'; content: number }
  | { is: 'mempool'; content: number }
  | { is: 'reorg'; depth: number; content: number | 'dropped' }
  | { is: 'hint'; node: Node }
  | { is: 'spend'; isSent: boolean }

/**
 * A reorg re-includes a credited transaction, which now transfers nothing to us. A hint names its new block before the
 * scan does, so the scan's reorg marks that block as orphaned, too.
 */
export const RE_INCLUDED_WITHOUT_US: readonly Command[] = [
  { is: 'include', content: 0 },
  { is: 'round', node: 'honest', blocks: 1 },
  { is: 'reorg', depth: 2, content: 7 },
  { is: 'hint', node: 'honest' },
]
