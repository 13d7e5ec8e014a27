/** Balances of addresses by the UTXOs of one block. Pending transactions are not counted: they belong to no block. */
import type { Address, Balances } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { chainInfo } from '../node/calls.ts'
import { sumOf } from '../scanning/locate-tx.ts'
import { confirmedCoins } from './confirmed-utxos.ts'

/** Like `holdings`, of one address, as two providers show it. */
export function agreedUnits(chain: BitcoinChain, owner: Address): Promise<bigint> {
  return chain.rpc.agreedByTwo(async (node) => sumOf((await confirmedCoins(chain, node, [owner])).coins), String)
}

export function holdings(chain: BitcoinChain, wanted: readonly { owner: Address }[]): Promise<Balances> {
  const owners = [...new Set(wanted.map(({ owner }) => owner))]
  return chain.rpc.use(async (node) => {
    if (owners.length === 0) {
      const [{ height, hash }] = await node.ask([chainInfo()])
      return { block: { number: BigInt(height), hash }, units: [] }
    }
    const { block, coins } = await confirmedCoins(chain, node, owners)
    const byOwner = Map.groupBy(coins, ({ owner }) => owner)
    return { block, units: wanted.map(({ owner }) => sumOf(byOwner.get(owner) ?? [])) }
  })
}
