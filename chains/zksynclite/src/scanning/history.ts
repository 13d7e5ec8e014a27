/** An account's history, newest first, as the server lists it, and which part of an entry is proven. */
import { NodeFailure } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { type Entry, NAMELESS, PAGE, transactionsOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { hashOf, keyChangeBytes, transferBytes } from '../transaction.ts'

/** Limit of pages with only pending entries: anyone may post those for free. Executed entries are read to the end. */
const MOST_WAITING = 200

export async function* walk(node: Node, account: Address): AsyncGenerator<Entry> {
  const begun = new Set<string>()
  let waiting = 0
  for (let from = 'latest'; waiting < MOST_WAITING; ) {
    if (begun.has(from)) throw new NodeFailure(`node ${node.name} lists a past that goes in a circle`)
    begun.add(from)
    const page = await node.ask(transactionsOf(account, from))
    // The requested entry is repeated in the answer, as the first with a hash.
    const first = page.find(({ hash }) => hash !== NAMELESS)
    const fresh = from === 'latest' ? page : page.filter((entry) => entry !== first)
    if (from !== 'latest' && first?.hash !== from) throw new NodeFailure(`node ${node.name} lists another past`)
    yield* fresh
    const last = page.findLast(({ hash }) => hash !== NAMELESS)
    if (page.length < PAGE || !last) return
    if (last.blockNumber === null) waiting += 1
    from = last.hash
  }
  throw new NodeFailure(`node ${node.name} lists more that waits than can be read at once`)
}

/** Whether the entry's hash matches its content. Deposits from Ethereum have another kind of hash. */
export function isGenuine({ hash, operation }: Entry): boolean {
  try {
    if (operation.type === 'Transfer') return hashOf(transferBytes(operation)) === hash
    if (operation.type === 'ChangePubKey') return hashOf(keyChangeBytes(operation)) === hash
    return operation.type === 'Deposit'
  } catch {
    return false
  }
}

/** The nonce that the entry used, if it was the account's own; else null. */
export function ownNonce({ operation }: Entry, account: Address): number | null {
  if (operation.type === 'Transfer' && operation.from === account) return operation.nonce
  if (operation.type === 'ChangePubKey' && operation.account === account) return operation.nonce
  return null
}
