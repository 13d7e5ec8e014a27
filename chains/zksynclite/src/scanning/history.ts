/** An account's past, newest first, as the server lists it, and what can be believed of an entry. */
import { type Address, NodeFailure } from '@causeway/core'
import { type Entry, PAGE, transactionsOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { hashOf, keyChangeBytes, transferBytes } from '../transaction.ts'

/** Pages that are read in one go: a flood of what only waits must not keep us for ever. */
const MOST_PAGES = 200

export async function* walk(node: Node, account: Address): AsyncGenerator<Entry> {
  let from = 'latest'
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await node.ask(transactionsOf(account, from))
    // The entry that was asked for stands in the answer again.
    const fresh = from === 'latest' ? page : page.slice(1)
    if (from !== 'latest' && page[0]?.hash !== from) throw new NodeFailure(`node ${node.name} lists another past`)
    yield* fresh
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    from = last.hash
  }
  throw new NodeFailure(`node ${node.name} lists more than can be read at once`)
}

/** Whether its name is the hash of what it is said to be. What came from Ethereum has another kind of name. */
export function isGenuine({ hash, operation }: Entry): boolean {
  try {
    if (operation.type === 'Transfer') return hashOf(transferBytes(operation)) === hash
    if (operation.type === 'ChangePubKey') return hashOf(keyChangeBytes(operation)) === hash
    return operation.type === 'Deposit'
  } catch {
    return false
  }
}

/** The nonce that it used, where it was the account's own. */
export function ownNonce({ operation }: Entry, account: Address): number | null {
  if (operation.type === 'Transfer' && operation.from === account) return operation.nonce
  if (operation.type === 'ChangePubKey' && operation.account === account) return operation.nonce
  return null
}
