/** Finds the fork point after a reorg. */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { CODES, header, unless } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Heads } from './confirmations.ts'
import { cutAfter, type Memory } from './cursor.ts'

/** Cuts the remembered hashes down to the newest block that is still part of the chain, found by bisection. */
export async function backToFork(chain: StarknetChain, node: Node, memory: Memory, heads: Heads): Promise<Memory> {
  const fields = { network: chain.network.name, from: memory.number }
  if (memory.final && memory.final.number <= heads.latest.number && !(await stands(node, memory.final))) {
    chain.log.error({ ...fields, final: memory.final.number }, 'a final block is not part of the chain any more')
    throw new RetryLater('the chain contradicts a final block: scanning stops until an operator has checked')
  }
  const marks = memory.marks.filter(({ number }) => number <= heads.latest.number)
  // Below `low` all remembered blocks are canonical, from `high` on none are.
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const mark = marks[middle]
    if (mark && (await stands(node, mark))) low = middle + 1
    else high = middle
  }
  const fork = marks[low - 1]
  if (fork?.number === memory.number) throw new RetryLater('the chain changed while it was read')
  if (fork) {
    chain.log.warn({ ...fields, fork: fork.number }, 'chain was reorganised')
    return cutAfter(memory, fork.number)
  }
  const bottom = marks[0]?.number ?? memory.number
  chain.log.error({ ...fields, oldest: bottom }, 'reorganisation is deeper than the scan remembers')
  return { ...memory, number: bottom - 1n, marks: [] }
}

async function stands(node: Node, { number, hash }: BlockRef): Promise<boolean> {
  const [found] = await node.settle([header(number)])
  const standing = unless(found, CODES.blockNotFound)
  // A block that the node lacks proves nothing.
  if (!standing) throw new RetryLater('the node does not have all blocks up to its head')
  return standing.hash === hash
}
