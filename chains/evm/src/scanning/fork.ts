/** Finds the fork point after a reorg. */
import { RetryLater } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { type Header, header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { cutAfter, hashAt, type Memory, oldest } from './cursor.ts'

/** Most reorgs are one or two blocks deep: searching in such steps needs one request. */
const FORK_STEP = 16

/** Cuts the remembered hashes down to the newest block that is still part of the chain. */
export async function backToFork(chain: EvmChain, node: Node, memory: Memory, head: Header): Promise<Memory> {
  const marks = memory.marks.filter(({ number }) => number <= head.number).toReversed()
  for (let start = 0; start < marks.length; start += FORK_STEP) {
    const headers = await node.ask(marks.slice(start, start + FORK_STEP).map(({ number }) => header(number)))
    const fork = headers.find((found) => found !== null && found.hash === hashAt(memory, found.number))
    if (!fork) continue
    if (fork.number === memory.number) throw new RetryLater('the chain changed while it was read')
    chain.log.warn({ network: chain.network.name, fork: fork.number, from: memory.number }, 'chain was reorganised')
    return cutAfter(memory, fork.number)
  }
  const bottom = oldest(memory)
  chain.log.error({ network: chain.network.name, oldest: bottom }, 'reorganisation is deeper than the scan remembers')
  return { number: bottom - 1n, marks: [] }
}
