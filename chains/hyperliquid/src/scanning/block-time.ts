/**
 * What stands for a block here. The network makes several blocks a second, and all of them are final; its gateways tell the
 * time of what happened, and not the height. So a block of ours is one second of the network's time.
 */
import { type BlockRef, Bug } from '@causeway/core'

const SECOND_MS = 1_000

export function blockAt(timeMs: number): BlockRef {
  return blockOf(BigInt(Math.floor(timeMs / SECOND_MS)))
}

/** A block's time lies a little before that of the gateway that tells of it. */
const MARGIN_MS = 2_000

/** The newest second that is over: nothing can happen in it any more. */
export function closedBefore(timeMs: number): BlockRef {
  return blockOf(BigInt(Math.floor((timeMs - MARGIN_MS) / SECOND_MS)) - 1n)
}

export function startOf(number: bigint): number {
  return Number(number) * SECOND_MS
}

/** The last millisecond of it. */
export function endOf(number: bigint): number {
  return startOf(number) + SECOND_MS - 1
}

/** A block counts as its own first confirmation, also where the time was told by a gateway that lags. */
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
