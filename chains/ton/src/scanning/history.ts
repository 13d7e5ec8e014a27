/**
 * The history of an account, newest first. Every transaction names its predecessor by hash, so a node can omit nothing;
 * and since history never changes here, it is cached.
 */
import { boundedMap, NodeFailure, singleFlight } from '@causeway/chain-kit'
import type { Address, TxHash } from '@causeway/core'
import { tonAddress } from '../address.ts'
import { transactions } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { TonTransaction, TxPointer } from '../transaction.ts'

export interface History {
  /** Transactions of the account from this one backwards, to its first. The caller bounds the walk. */
  walk(node: Node, account: Address, from: TxPointer | null): AsyncGenerator<TonTransaction, void>
  /** A recently visited transaction. */
  recall(hash: TxHash): TonTransaction | undefined
}

/** Page sizes: mostly one or two transactions are new; longer walks use the longest pages that nodes give. */
const FIRST_PAGE = 10
const FULL_PAGE = 100
/** Limit of the cache: a few kilobytes each, some tens of megabytes. */
const REMEMBERED = 5_000

export function openHistory(): History {
  const known = boundedMap<TxHash, TonTransaction>(REMEMBERED)
  const once = singleFlight<TonTransaction[]>()

  /** Many payouts are looked up at once and read the same pages: each page is requested once. */
  function sharedPage(node: Node, account: Address, at: TxPointer, limit: number): Promise<TonTransaction[]> {
    return once(`${node.name} ${at.hash}`, () => pageFrom(node, account, at, limit))
  }

  function remember(transaction: TonTransaction): void {
    known.delete(transaction.hash)
    known.set(transaction.hash, transaction)
  }

  async function* walk(node: Node, account: Address, from: TxPointer | null): AsyncGenerator<TonTransaction, void> {
    let limit = FIRST_PAGE
    for (let at = from; at !== null; ) {
      const kept = known.get(at.hash)
      if (kept && kept.lt !== at.lt) throw unlinked(node, account)
      const page: TonTransaction[] = kept ? [kept] : await sharedPage(node, account, at, limit)
      if (!kept) limit = FULL_PAGE
      // Cached again even if known, so that entries in use are not evicted first.
      for (const transaction of page) remember(transaction)
      yield* page
      at = page.at(-1)?.previous ?? null
    }
  }

  return { walk, recall: (hash) => known.get(hash) }
}

async function pageFrom(node: Node, account: Address, from: TxPointer, limit: number): Promise<TonTransaction[]> {
  const page = await node.ask(transactions(account, from, limit, limit === FULL_PAGE))
  const owner = tonAddress(account).hash.toString('hex')
  if (page.length === 0) throw new NodeFailure(`node ${node.name} does not have transaction ${from.hash}`)
  let expected: TxPointer | null = from
  for (const transaction of page) {
    const isNext = transaction.hash === expected?.hash && transaction.lt === expected.lt
    if (transaction.account !== owner || !isNext) throw unlinked(node, account)
    expected = transaction.previous
  }
  return page
}

function unlinked(node: Node, account: Address): NodeFailure {
  return new NodeFailure(`node ${node.name} gave a past of ${account} that does not link up`)
}
