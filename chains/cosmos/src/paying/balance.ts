/** Balances of addresses at one named height: backends with different lags may share one address. */
import { rejectStaleHead, retryRead } from '@causeway/chain-kit'
import type { Address, Balances, Token } from '@causeway/core'
import { denomOf } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import { committedHeight } from '../node/calls.ts'
import { balance } from '../node/queries.ts'
import { readHeader } from '../scanning/blocks.ts'

export function balances(chain: CosmosChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Balances> {
  return chain.rpc.agreed(
    (node) => {
      let newest = 0n
      return retryRead(async () => {
        const [height] = await node.ask([committedHeight()])
        newest = rejectStaleHead(height, newest)
        const [{ number, hash }, units] = await Promise.all([
          readHeader(chain, node, height),
          Promise.all(
            wanted.map(({ owner, token }) => balance(node, owner, denomOf(token, chain.settings.denom), height)),
          ),
        ])
        return { block: { number, hash }, units }
      })
    },
    // Nodes may be some blocks apart; only the balances must agree.
    ({ units }) => units.join(' '),
  )
}

export function agreedUnits(chain: CosmosChain, owner: Address, token: Token): Promise<bigint> {
  return chain.rpc.agreedByTwo((node) => balance(node, owner, denomOf(token, chain.settings.denom), null), String)
}

export async function unitsOf(chain: CosmosChain, owner: Address, token: Token): Promise<bigint> {
  return chain.rpc.use((node) => balance(node, owner, denomOf(token, chain.settings.denom), null))
}
