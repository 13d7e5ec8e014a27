/** Movements of an account in a range of batches, read from the batches themselves. */
import { type Address, type Amount, type Movement, RetryLater } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { type Batch, batches, type Entry } from '../node/calls.ts'
import { messageHash, nameOf } from '../transaction.ts'
import { amountOf } from './sightings.ts'

/** Batches per request. */
const STRETCH = 100

export function movements(chain: StarkExChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  return chain.rpc.use(async (node) => {
    const found: Movement[] = []
    let parent: string | null = null
    for (let next = from < 0n ? 0n : from; next <= to; ) {
      const count = to - next >= BigInt(STRETCH) ? STRETCH : Number(to - next) + 1
      const { batches: read } = await node.ask(batches(next, count))
      if (read.length === 0) throw new RetryLater(`the operator does not show the batches up to ${to} yet`)
      for (const batch of read) {
        if (parent !== null && batch.parent !== parent) throw new RetryLater('the ledger changed while it was read')
        if (batch.unread.some((people) => people === null || people.includes(account))) {
          throw new RetryLater(`a transfer of batch ${batch.number} cannot be read`)
        }
        found.push(...batch.transfers.flatMap((entry) => movementOf(chain, account, entry, batch) ?? []))
        parent = batch.hash
        next = batch.number + 1n
      }
    }
    return found
  })
}

function movementOf(chain: StarkExChain, account: Address, entry: Entry, { number, hash }: Batch): Movement | null {
  const isOwn = entry.user === account
  if (!isOwn && entry.receiver !== account) return null
  const amount = amountOf(chain, entry)
  const changes: Amount[] = []
  if (amount && entry.receiver === account) changes.push(amount)
  if (amount && isOwn) changes.push({ ...amount, units: -amount.units })
  if (!isOwn && changes.length === 0) return null
  // Our transfers are named by the signed hash, others by the operator's id.
  const txHash = isOwn ? nameOf(messageHash(entry.message)) : entry.id
  return { txHash, block: { number, hash }, changes, slot: isOwn ? [entry.message.nonce.toString()] : null }
}
