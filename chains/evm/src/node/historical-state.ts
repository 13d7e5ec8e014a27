/**
 * Whether a node answers of the block that it was asked about. Some tell of their newest one whatever was asked, without a
 * word: what an address held before a block would then be what it holds now. Told by asking for blocks that nobody has.
 */
import { zeroAddress } from 'viem'
import { hex } from './calls.ts'
import type { Call, Node } from './node.ts'

interface States {
  byHash: boolean
  byNumber: boolean
}

const NOWHERE = { blockHash: `0x${'0'.repeat(63)}1`, requireCanonical: true }
const NEVER = hex(10n ** 15n)

/** Asked once of each node that is open. */
const known = new WeakMap<Node, States>()

export async function statesOf(node: Node): Promise<States> {
  const before = known.get(node)
  if (before) return before
  const [byHash, byNumber] = await node.settle([balanceAt(NOWHERE), balanceAt(NEVER)])
  const states = { byHash: typeof byHash !== 'string', byNumber: typeof byNumber !== 'string' }
  known.set(node, states)
  return states
}

function balanceAt(block: unknown): Call<unknown> {
  return { method: 'eth_getBalance', params: [zeroAddress, block], read: (raw) => raw }
}
