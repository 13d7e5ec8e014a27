/** Reads balances of addresses. */
import { type Address, type Balances, RetryLater, type Token } from '@causeway/core'
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

/** How often balances are read: blocks come every three seconds, and reading takes less. */
const TRIES = 5
/**
 * How often a result must be read: of several backends behind one address, lagging ones may answer twice in a row, and
 * others the requests in between.
 */
const READS = 3

/**
 * All balances at one block. Nodes answer from their newest state without naming it, and several may share one address.
 * A result that was read several times while the newest block, read in between, stayed the same belongs to that block.
 */
export function holdings(chain: TronChain, wanted: readonly { owner: Address; token: Token }[]): Promise<Balances> {
  const { rpc, settings } = chain
  return rpc.agreed(
    async (node) => {
      const read = () => Promise.all(wanted.map(({ owner, token }) => unitsOf(node, owner, token)))
      for (let tries = 0; tries < TRIES; tries++) {
        const first = await freshHead(node, settings)
        // Only the head was wanted: no balance has to belong to it.
        if (wanted.length === 0) return { block: refOf(first), units: [] }
        let units: bigint[] | null = null
        for (let reads = 0; reads < READS; reads++) {
          const now = await read()
          const isSame: boolean = units === null || units.every((one, position) => one === now[position])
          units = isSame && (await freshHead(node, settings)).id === first.id ? now : null
          if (units === null) break
        }
        if (units !== null) return { block: refOf(first), units }
      }
      throw new RetryLater('the chain moved while it was read')
    },
    // Nodes may answer from different blocks, so only the balances are compared.
    ({ units }) => units.join(' '),
  )
}
