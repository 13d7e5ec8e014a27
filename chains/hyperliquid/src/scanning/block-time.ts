/**
 * The block of this family. The network makes several blocks per second, all final, and its gateways report the time of
 * an event but not its height. So our block is one second of the network's time.
 */
import { type BlockRef, Bug } from '@causeway/core'

const SECOND_MS = 1_000

export function blockAt(timeMs: number): BlockRef {
  return blockOf(BigInt(Math.floor(timeMs / SECOND_MS)))
}

/** A block's time is slightly before the time of the gateway that reports it. */
const MARGIN_MS = 2_000

/** The newest complete second: nothing can happen in it any more. */
export function closedBefore(timeMs: number): BlockRef {
  return blockOf(BigInt(Math.floor((timeMs - MARGIN_MS) / SECOND_MS)) - 1n)
}

export function startOf(number: bigint): number {
  return Number(number) * SECOND_MS
}

/** The last millisecond of a block. */
export function endOf(number: bigint): number {
  return startOf(number) + SECOND_MS - 1
}

/** A block is its own first confirmation, even if the time came from a lagging gateway. */
export function confirmationsAt(timeMs: number, block: BlockRef): number {
  const head = blockAt(timeMs).number
  return head < block.number ? 1 : Number(head - block.number) + 1
}

export function blockTime({ number, hash }: BlockRef): Date {
  if (blockOf(number).hash !== hash) throw new Bug('not a block of this family', { number, hash })
  return new Date(startOf(number))
}

function blockOf(number: bigint): BlockRef {
  return { number, hash: new Date(startOf(number)).toISOString() }
}
