/** Reading what an address holds. */
import { type Address, type Holdings, RetryLater, type Token } from '@causeway/core'
import { callTo, wordOf } from '../abi.ts'
import { refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { account, asking } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { freshHead } from '../node/rpc.ts'

export async function unitsOf(node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) {
    const { balance } = await node.ask(account(owner))
    if (balance === null) throw new RetryLater(`the node cannot say exactly what ${owner} holds`)
    return balance
  }
  const units = await node.ask(asking(owner, contract, callTo('balanceOf(address)', wordOf(owner))))
  if (units === null) throw new RetryLater(`${contract} does not say what ${owner} holds`)
  return units
}

/** Blocks come every three seconds; reading takes less. */
const TRIES = 3

/**
 * All of one block. Nodes answer of their newest state without naming it, and behind one address stand several: what was read
 * twice in the same way while the newest block stayed the same holds for that block.
 */
export function holdings(chain: TronChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Holdings> {
  const { rpc, settings } = chain
  return rpc.agreed(
    async (node) => {
      const read = () => Promise.all(wanted.map(({ owner, token }) => unitsOf(node, owner, token)))
      for (let tries = 0; tries < TRIES; tries++) {
        const before = await freshHead(node, settings)
        const units = await read()
        const again = await read()
        const after = await freshHead(node, settings)
        const isSame = units.every((one, position) => one === again[position])
        if (before.id === after.id && isSame) return { block: refOf(before), units }
      }
      throw new RetryLater('the chain moved while it was read')
    },
    // Of which block each node tells is its own affair.
    ({ units }) => units.join(' '),
  )
}
