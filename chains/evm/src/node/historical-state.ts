/**
 * Whether a node answers for the block it was asked about. Some silently answer for their newest block, so a historical
 * balance would be the current one. Detected by asking for blocks that do not exist.
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

/** Each open node is checked once. */
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
