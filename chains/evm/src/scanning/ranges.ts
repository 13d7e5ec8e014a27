/** Logs of a block range, in queries as wide as the node accepts; the width is learned from its refusals. */
import { hex, type Log, type LogFilter, logs } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { narrow, widen } from '../node/limits.ts'
import { type Node, Refusal } from '../node/node.ts'

export type RangeFilter = Pick<LogFilter, 'address' | 'topics'>

interface Range {
  from: bigint
  to: bigint
}

/** The logs of a range; null if the node does not support the query at any width. */
export async function logsBetween(node: Node, filter: RangeFilter, from: bigint, to: bigint): Promise<Log[] | null> {
  const pieces = piecesOf({ from, to }, node.limits.logBlocks)
  const answers = await node.settle(
    pieces.map((piece) => logs({ ...filter, fromBlock: hex(piece.from), toBlock: hex(piece.to) })),
  )
  const found: Log[] = []
  for (const [position, answer] of answers.entries()) {
    const piece = pieces[position]
    if (!piece) continue
    const width = widthOf(piece)
    if (!(answer instanceof Refusal)) {
      widen(node.limits, width)
      found.push(...answer)
      continue
    }
    const told = classOf(answer)
    // Behind a load balancer: the backend that names the head is ahead of the one that reads the logs.
    if (told === 'behind') throw answer
    if (told !== 'asks too much') return null
    if (width === 1) return null
    // A concurrent query may have learned the limit already.
    if (node.limits.logBlocks >= width) narrow(node.limits, width, answer.message)
    const again = await logsBetween(node, filter, piece.from, piece.to)
    if (again === null) return null
    found.push(...again)
  }
  return found
}

function piecesOf({ from, to }: Range, most: number): Range[] {
  const pieces: Range[] = []
  for (let start = from; start <= to; start += BigInt(most)) {
    const end = start + BigInt(most) - 1n
    pieces.push({ from: start, to: end < to ? end : to })
  }
  return pieces
}

function widthOf({ from, to }: Range): number {
  return Number(to - from) + 1
}
