/** A node of the simulated chain for the adapter, and the switches with which a test makes that node fail. */
import { type BlockRef, RetryLater, type TxHash } from '@causeway/core'
import type { Block, LandedAt, Node } from '../../src/node/node.ts'
import { decode } from '../../src/transaction.ts'
import type { SimulatedChain } from './blockchain.ts'

export type CallName =
  | 'blocks'
  | 'transaction'
  | 'slotUse'
  | 'pending'
  | 'send'
  | 'balance'
  | 'holdings'
  | 'nonce'
  | 'fee'
  | 'blocked'

/** Faults to inject. Each counter decreases with every call that it affects; `on` limits them to some calls. */
export interface Faults {
  on: readonly CallName[] | null
  /** This many calls never reach the node. */
  timeouts: number
  /** This many calls take effect on the node, but their answer is lost. */
  lostAnswers: number
  /** This many calls are delivered twice, as by a proxy that retries; the second answer is returned. */
  repeats: number
  /** This many sends are accepted and then forgotten. */
  lostSends: number
  /** How many of the newest blocks the node has not seen yet. */
  behind: number
  /** The node rejects a send whose fee is below this percentage of the fee it quotes; zero accepts all. */
  floorPercent: bigint
}

/** Called around each call; either may wait, or throw to simulate a crash there. */
export interface Hooks {
  beforeCall?(name: CallName): void | Promise<void>
  /** Runs after the work and before the answer. */
  afterCall?(name: CallName): void | Promise<void>
}

export interface SimulatedNode extends Node {
  readonly faults: Faults
  hooks: Hooks
  /** Puts the node on its own branch that leaves the chain `depth` blocks below its head, until `rejoin`. */
  stray(depth: number): void
  rejoin(): void
  /** How many blocks the node's branch has above the chain's newest. */
  lead(): number
}

export function openNode(chain: SimulatedChain): SimulatedNode {
  const faults: Faults = {
    on: null,
    timeouts: 0,
    lostAnswers: 0,
    repeats: 0,
    lostSends: 0,
    behind: 0,
    floorPercent: 0n,
  }
  let branch: Block[] = []

  /** The height up to which the node agrees with the chain. */
  function common(): number {
    const base = branch[0]
    if (base && chain.blockAt(Number(base.number) - 1)?.hash === base.parent) return Number(base.number) - 1
    branch = []
    return Math.max(0, chain.height - faults.behind)
  }

  function headOf(): BlockRef {
    const shared = chain.blockAt(common())
    const newest = branch.at(-1) ?? shared
    if (!newest) throw new RetryLater('the node has no such block')
    return { number: newest.number, hash: newest.hash }
  }

  function blockAt(height: number): Block | undefined {
    const shared = common()
    return height <= shared ? chain.blockAt(height) : branch[height - shared - 1]
  }

  function landed(hash: TxHash | undefined): LandedAt | null {
    const found = hash === undefined ? undefined : chain.find(hash)
    const block = found && found.height <= common() ? chain.blockAt(found.height) : undefined
    if (!found || !block) return null
    const confirmations = Number(headOf().number - block.number) + 1
    return { ...found.landed, block: { number: block.number, hash: block.hash }, confirmations }
  }

  function strikes(kind: 'timeouts' | 'lostAnswers' | 'repeats' | 'lostSends', name: CallName): boolean {
    if (faults[kind] === 0 || (faults.on && !faults.on.includes(name))) return false
    faults[kind]--
    return true
  }

  async function call<T>(name: CallName, work: () => T): Promise<T> {
    await node.hooks.beforeCall?.(name)
    if (strikes('timeouts', name)) throw new RetryLater(`the call did not reach the node: ${name}`)
    let answer = work()
    if (strikes('repeats', name)) answer = work()
    await node.hooks.afterCall?.(name)
    if (strikes('lostAnswers', name)) throw new RetryLater(`the node's answer was lost: ${name}`)
    return answer
  }

  function isTooCheap(bytes: string): boolean {
    const transaction = decode(bytes)
    if (faults.floorPercent === 0n || !transaction || chain.find(transaction.hash)) return false
    return transaction.fee * 100n < chain.feePerMove * BigInt(transaction.moves.length) * faults.floorPercent
  }

  const node: SimulatedNode = {
    faults,
    hooks: {},
    stray(depth) {
      branch = chain.branchOff(depth)
    },
    rejoin() {
      branch = []
    },
    lead: () => Math.max(0, common() + branch.length - chain.height),
    blocks: (from, count) =>
      call('blocks', () => {
        const heights = Array.from({ length: count }, (_, position) => Number(from) + position)
        return { head: headOf(), blocks: heights.map(blockAt).filter((block) => block !== undefined) }
      }),
    transaction: (hash) =>
      call('transaction', () => {
        const pending = chain.mempool.find((waiting) => waiting.hash === hash)
        return landed(hash) ?? (pending ? { pending } : null)
      }),
    slotUse: (account, nonce) => call('slotUse', () => landed(chain.usedBy(account, nonce))),
    pending: () => call('pending', () => [...chain.mempool]),
    send: (bytes) =>
      call('send', () =>
        strikes('lostSends', 'send') ? 'accepted' : isTooCheap(bytes) ? 'underpriced' : chain.submit(bytes),
      ),
    balance: (owner, contract) => call('balance', () => chain.balance(owner, contract, common())),
    holdings: (wanted) =>
      call('holdings', () => ({
        block: headOf(),
        units: wanted.map(({ owner, contract }) => chain.balance(owner, contract, common())),
      })),
    nonce: (account) => call('nonce', () => chain.nonce(account, common())),
    fee: () => call('fee', () => chain.feePerMove),
    blocked: (addresses) => call('blocked', () => addresses.filter((address) => chain.blocked.has(address))),
  }
  return node
}
