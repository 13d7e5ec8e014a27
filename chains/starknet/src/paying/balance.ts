/** Balances of an address: from the token contracts, at one named block. */
import { rejectStaleHead, retryRead } from '@causeway/chain-kit'
import { type Address, type Balances, RetryLater, type Token } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { balanceOf, header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { contractOf } from './order.ts'

type Wanted = readonly { owner: Address; token: Token }[]

export async function unitsOf(chain: StarknetChain, owner: Address, token: Token): Promise<bigint> {
  return chain.rpc.use(async (node) => (await node.ask([balanceOf(contractOf(chain, token), owner, 'latest')]))[0])
}

export function agreedUnits(chain: StarknetChain, owner: Address, token: Token): Promise<bigint> {
  const contract = contractOf(chain, token)
  return chain.rpc.agreedByTwo(async (node) => (await node.ask([balanceOf(contract, owner, 'latest')]))[0], String)
}

/** Reads balances; with a quorum, at a block for which enough nodes report the same balances. */
export async function holdings(chain: StarknetChain, wanted: Wanted): Promise<Balances> {
  const held = await chain.rpc.use((node) => {
    let newest = 0n
    return retryRead(async () => {
      const [{ number, hash }] = await node.ask([header('latest')])
      newest = rejectStaleHead(number, newest)
      return { block: { number, hash }, units: await unitsAt(chain, node, wanted, hash) }
    })
  })
  if ((chain.network.quorum ?? 1) < 2) return held
  const units = await chain.rpc.agreed(
    (node) => unitsAt(chain, node, wanted, held.block.hash),
    (found) => found.join(' '),
  )
  if (units.join() !== held.units.join()) throw new RetryLater('nodes do not agree on what is held')
  return held
}

/** The balances at a block, requested by its hash: then a missing block is a refusal, not an older answer. */
async function unitsAt(chain: StarknetChain, node: Node, wanted: Wanted, hash: string): Promise<bigint[]> {
  if (wanted.length === 0) return []
  return [...(await node.ask(wanted.map(({ owner, token }) => balanceOf(contractOf(chain, token), owner, { hash }))))]
}
