/** The deposits among entries that were read: successful transfers of the native token to us, by their own content. */
import type { BlockRef, Sighting, Watchlist } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { referenceIn } from '../depositing/deposit.ts'
import type { Entry } from '../node/calls.ts'
import { NATIVE_ID } from '../transaction.ts'
import { isGenuine } from './history.ts'

export async function sightingsIn(
  { network, log }: ZkSyncChain,
  entries: readonly Entry[],
  blocks: ReadonlyMap<bigint, BlockRef>,
  ours: Watchlist,
): Promise<Sighting[]> {
  const transfers = entries.flatMap((entry) => {
    const { operation, hash } = entry
    if (operation.type !== 'Transfer' || operation.tokenId !== NATIVE_ID || operation.amount === 0n) return []
    if (isGenuine(entry)) return [{ entry, operation }]
    // An entry whose hash does not match proves nothing, and must not hide the others.
    log.warn({ network: network.name, hash }, 'a transfer is not what its hash says')
    return []
  })
  if (transfers.length === 0) return []
  const owned = await ours.owned([...new Set(transfers.flatMap(({ operation: { from, to } }) => [from, to]))])
  return transfers.flatMap(({ entry: { hash, blockNumber }, operation: { from, to, amount, validUntil } }) => {
    if (!owned.has(to) || owned.has(from)) return []
    const block = blockNumber === null ? null : (blocks.get(blockNumber) ?? null)
    return [
      {
        txHash: hash,
        index: 0,
        block: block && { number: block.number, hash: block.hash },
        refundableSender: from,
        fundingAddresses: [from],
        to,
        amount: { token: network.nativeToken, units: amount },
        reference: referenceIn(validUntil),
      },
    ]
  })
}
