/**
 * What addresses hold by the coins of one block. What waits in the mempool does not count: it is of no block. The treasury
 * alone is known at once; for others the node reads all unspent coins there are.
 */
import type { Address, Holdings } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { chainInfo, scanCoins } from '../node/calls.ts'
import { sumOf } from '../scanning/locate.ts'
import { isMature } from './purse.ts'

export function holdings(chain: BitcoinChain, wanted: readonly { owner: Address }[]): Promise<Holdings> {
  const { purse, rpc, treasury, prefixes } = chain
  const owners = [...new Set(wanted.map(({ owner }) => owner))]
  return rpc.use(async (node) => {
    const isTreasuryOnly = owners.every((owner) => owner === treasury)
    const { height, hash, coins } =
      owners.length === 0
        ? { ...(await node.ask([chainInfo()]))[0], coins: [] }
        : isTreasuryOnly
          ? await purse.coins(node)
          : (await node.ask([scanCoins(owners)]))[0]
    const mature = coins.filter((coin) => isMature(coin, height))
    const byOwner = Map.groupBy(mature, ({ script }) => addressOf(Buffer.from(script, 'hex'), prefixes))
    return {
      block: { number: BigInt(height), hash },
      units: wanted.map(({ owner }) => sumOf(byOwner.get(owner) ?? [])),
    }
  })
}
