/**
 * Amounts of an executed sweep by address, from its ledger rows: those that were signed, and the network's
 * fees, which the address itself pays.
 */
import { RetryLater, type SignedTransfer, type SweptAmount, tokenKey } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { changesOnAddress } from '../scanning/balance-changes.ts'
import { envelopesIn } from './signed-bytes.ts'
import { readUsed } from './status.ts'

export async function sweptBy(chain: HyperliquidChain, { hash, bytes }: SignedTransfer): Promise<SweptAmount[]> {
  const parts = envelopesIn(bytes).map(({ owner, nonce }) => ({ source: { address: owner, index: 0 }, nonce }))
  const used = await chain.rpc.use((node) => readUsed(chain, node, parts))
  if (used.length < parts.length) throw new RetryLater(`the ledger does not show all of ${hash}`)
  const changes = used.flatMap((row) => {
    const address = row.transfer.user
    return changesOnAddress(chain, row, address, chain.log).map(({ token, units }) => ({ address, token, units }))
  })
  const byPlace = Map.groupBy(changes, ({ address, token }) => `${address} ${tokenKey(token)}`)
  return [...byPlace.values()].flatMap((some) => {
    const units = -some.reduce((sum, change) => sum + change.units, 0n)
    return some.slice(0, 1).map(({ address, token }): SweptAmount => ({ address, amount: { token, units } }))
  })
}
