/** Movements of an account in a range of blocks, read from its own history. */
import { type Address, type Amount, type Movement, RetryLater } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { account as accountState, type Entry } from '../node/calls.ts'
import { NATIVE_ID } from '../transaction.ts'
import { headOf } from './head.ts'
import { ownNonce, walk } from './history.ts'
import { blocksOf } from './watch.ts'

export function movements(chain: ZkSyncChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  return chain.rpc.use(async (node) => {
    const head = await headOf(node)
    if (head.number < to) throw new RetryLater(`the server does not know the blocks up to ${to} yet`)
    const { nonce } = await node.ask(accountState(account, 'committed'))
    const found: Entry[] = []
    let newestNonce: number | null = null
    for await (const entry of walk(node, account)) {
      // An entry in an unknown state may have moved something in these blocks.
      if (entry.state === 'strange') throw new RetryLater(`the server lists ${entry.hash} in an unknown state`)
      if (entry.blockNumber === null) continue
      newestNonce ??= ownNonce(entry, account)
      // Below the range only our own newest entry is searched, if there is one: it shows that the list is current.
      if (entry.blockNumber < from && (newestNonce !== null || nonce === 0)) break
      if (entry.blockNumber >= from && entry.blockNumber <= to) found.push(entry)
    }
    // A list that is behind the account's own state is incomplete.
    if (nonce > 0 && (newestNonce ?? -1) + 1 < nonce) throw new RetryLater('the server lists an older past')
    const blocks = await blocksOf(node, found)
    return found.toReversed().flatMap((entry) => {
      const block = blocks.get(entry.blockNumber ?? -1n)
      const changes = changesOf(chain, account, entry)
      if (!block || (changes.length === 0 && ownNonce(entry, account) === null)) return []
      return [
        {
          txHash: entry.hash,
          block: { number: block.number, hash: block.hash },
          changes,
          slot: slotOf(entry, account),
        },
      ]
    })
  })
}

/** The slot of an entry. The key change is part of the first payout, and has no separate slot. */
function slotOf({ operation }: Entry, account: Address): readonly string[] | null {
  return operation.type === 'Transfer' && operation.from === account ? [operation.nonce.toString()] : null
}

function changesOf({ network }: ZkSyncChain, account: Address, { operation }: Entry): Amount[] {
  const token = network.nativeToken
  const of = (units: bigint): Amount[] => (units === 0n ? [] : [{ token, units }])
  if (operation.type === 'Transfer' && operation.tokenId === NATIVE_ID) {
    const { from, to, amount, fee } = operation
    return [...(to === account ? of(amount) : []), ...(from === account ? of(-amount - fee) : [])]
  }
  if (operation.type === 'ChangePubKey' && operation.feeTokenId === NATIVE_ID && operation.account === account) {
    return of(-operation.fee)
  }
  return operation.type === 'Deposit' && operation.tokenId === NATIVE_ID && operation.to === account
    ? of(operation.amount)
    : []
}
