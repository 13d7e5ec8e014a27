/**
 * Finds the blocks in which an account changed, by bisection: if nonce and balances are equal at both ends of a range,
 * nothing moved in it. That holds for the treasury, whose coins leave only by its own transactions.
 */
import { retryRead } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import type { EvmChain } from '../../chain.ts'
import { transactionCount } from '../../node/calls.ts'
import { type Node, Refusal } from '../../node/node.ts'
import { unitsAt } from '../../paying/balance.ts'

/** A lagging backend looks like one that has pruned the state: this many tries distinguish them. */
const TRIES = 3

/** An account after a block: the balances in the order of the network's tokens. */
interface Standing {
  nonce: bigint
  units: bigint[]
}

/** A block, and the account before and after it. */
export interface Changed {
  number: bigint
  before: Standing
  after: Standing
}

interface Stretch {
  /** The block before the range. */
  low: bigint
  high: bigint
  before: Standing
  after: Standing
}

/** The blocks in which the account changed; null if the node has pruned the state at one end. */
export async function changedBlocks(
  chain: EvmChain,
  node: Node,
  account: Address,
  from: bigint,
  to: bigint,
): Promise<Changed[] | null> {
  const [before, after] = await Promise.all([from - 1n, to].map((block) => standing(chain, node, account, block)))
  if (!before || !after) return null
  const found: Changed[] = []
  let open: Stretch[] = [{ low: from - 1n, high: to, before, after }]
  while (open.length > 0) {
    const moved = open.filter((stretch) => !isSame(stretch.before, stretch.after))
    const whole = moved.filter(({ low, high }) => high - low > 1n)
    found.push(
      ...moved.filter(({ low, high }) => high - low === 1n).map(({ high, ...rest }) => ({ number: high, ...rest })),
    )
    const halves = await Promise.all(
      whole.map(async ({ low, high, ...ends }): Promise<Stretch[] | null> => {
        const middle = (low + high) / 2n
        const between = await standing(chain, node, account, middle)
        if (!between) return null
        return [
          { low, high: middle, before: ends.before, after: between },
          { low: middle, high, before: between, after: ends.after },
        ]
      }),
    )
    if (halves.includes(null)) return null
    open = halves.flatMap((half) => half ?? [])
  }
  return found.toSorted((a, b) => (a.number < b.number ? -1 : 1))
}

async function standing({ network }: EvmChain, node: Node, account: Address, block: bigint): Promise<Standing | null> {
  try {
    const wanted = network.tokens.map((token) => ({ owner: account, token }))
    const read = () => Promise.all([node.ask([transactionCount(account, block)]), unitsAt(node, wanted, block)])
    const [[nonce], units] = await retryRead(read, TRIES)
    return { nonce, units }
  } catch (error) {
    // The node works, but has no state of that block.
    if (error instanceof Refusal) return null
    throw error
  }
}

function isSame(a: Standing, b: Standing): boolean {
  return a.nonce === b.nonce && a.units.every((units, position) => units === b.units[position])
}
