/**
 * Derives the *standing* of each transfer (where it is now) and the state of its blocks from the observations of one
 * transaction.
 */
import type { BlockRef } from '../money/block.ts'
import {
  compareObservations,
  type DepositTransfer,
  type Observation,
  type ScanClock,
  type Seen,
} from './observation.ts'

/** `unverified`: only one node named the block after a reorg, or a node contradicted a credited deposit in it. */
export type BlockState = 'canonical' | 'orphaned' | 'unverified'

/** The state of a block. `generation` and `since`: the scan's clock when the state changed. */
export interface BlockRecord {
  state: BlockState
  generation: bigint
  since: bigint
}

/** The blocks that observations name. Blocks from a scan are stored as canonical before the judgement. */
export interface BlockView {
  generation: bigint
  scannedTo: bigint
  find(hash: string): BlockRecord | undefined
}

/** Where one transfer of the transaction is now, by the newest observations. */
export type Standing =
  | { is: 'present'; by: Seen; block: BlockRef; transfer: DepositTransfer }
  /** The transaction is in a block and transfers nothing to us at this index. */
  | { is: 'nothing'; by: Seen; block: BlockRef }
  | { is: 'mempool'; by: Seen; block: null; transfer: DepositTransfer }
  /** The transaction is gone: by absences over the final depth, or by one answer after a reorg. */
  | { is: 'absent' }
  | { is: 'undetermined' }

type Placed = Seen & { block: BlockRef }

/** Everything that can be derived from the observations and the blocks alone. */
export type Reading = ReturnType<typeof readObservations>

export function readObservations(observations: readonly Observation[], blocks: BlockView, finalDepth: number) {
  const final = BigInt(finalDepth)
  const sorted = observations.toSorted(compareObservations)
  const sightings = sorted.filter((one) => one.kind === 'seen')
  const placed = sightings.filter((one): one is Placed => one.block !== null)
  const shown = new Map(sightings.map((one) => [one, new Map(one.transfers.map((each) => [each.index, each]))]))
  const isVoid = ({ hash }: BlockRef) => blocks.find(hash)?.state === 'orphaned'
  const hasReorged = placed.some(({ block }) => isVoid(block))

  /** A scan shows the transaction in another block that no reorg has removed. */
  const isScannedElsewhere = (hash: string) =>
    placed.some(({ by, block }) => by === 'scan' && block.hash !== hash && !isVoid(block)) &&
    !placed.some(({ by, block }) => by === 'scan' && block.hash === hash)

  /**
   * The block's state before this judgement. A block that is not stored was named by a node, not by the scan. It is
   * unverified after a reorg, and if the transaction is known in another block. The scan's own block always has
   * precedence.
   */
  function storedRecordOf({ hash }: BlockRef): BlockRecord {
    const stored = blocks.find(hash)
    const isElsewhere = placed.some(({ block }) => block.hash !== hash && blocks.find(block.hash))
    const state = hasReorged || isElsewhere ? 'unverified' : 'canonical'
    const record = stored ?? { state, generation: blocks.generation, since: blocks.scannedTo }
    return record.state === 'canonical' && isScannedElsewhere(hash) ? { ...record, state: 'unverified' } : record
  }

  function recordOf(block: BlockRef): BlockRecord {
    const stored = storedRecordOf(block)
    const isVerified = stored.state === 'unverified' && placed.some((one) => isProofOf(one, block, stored))
    return isVerified ? { ...stored, state: 'canonical' } : stored
  }

  /**
   * Whether an inspection proves the block: it shows the transaction there at final depth, and the scan has reached
   * that depth, too.
   */
  function isProofOf({ by, block, clock, confirmations }: Placed, { hash }: BlockRef, since: BlockRecord): boolean {
    const isFinal = confirmations >= finalDepth && block.number + final <= blocks.scannedTo + 1n
    return by === 'inspection' && block.hash === hash && isNewer(clock, since) && isFinal
  }

  /** Whether the node still follows the orphaned branch. */
  function isStale({ block, clock }: Placed): boolean {
    const record = blocks.find(block.hash)
    return record?.state === 'orphaned' && clock.generation >= record.generation
  }

  /** Sightings in blocks that a reorg removed. */
  const voided = placed.filter((one) => isVoid(one.block) && !isStale(one))

  /**
   * Whether a node answers that the transaction is gone: an absence or a mempool sighting, from a node that was at
   * least as far as the scan when the reorg removed the block.
   */
  function isAnswer(one: Observation, index: number): boolean {
    if (one.kind === 'seen' && (one.block !== null || !shown.get(one)?.has(index))) return false
    return voided.every((before) => compareObservations(before, one) < 0 && !isOlder(one.clock, recordOf(before.block)))
  }

  const isInBlock = (one: Observation): one is Placed => one.kind === 'seen' && one.block !== null && !isVoid(one.block)
  /** All observations since the transaction was last seen in a valid block. */
  const later = sorted.slice(sorted.findLastIndex(isInBlock) + 1)
  const run = later.filter(
    (one) => one.kind === 'absent' || (one.by === 'inspection' && one.block && isStale(one as Placed)),
  )
  const [first, newest] = [run[0], run.at(-1)]
  const isMissing = first !== undefined && newest !== undefined && newest.clock.head - first.clock.head >= final

  function standingAt(index: number): Standing {
    const last = sorted.findLast((one) => isInBlock(one) && (one.by === 'inspection' || shown.get(one)?.has(index)))
    const placement = last as Placed | undefined
    // One answer is enough if a reorg removed the block, or if no block ever contained the transaction.
    const isLoose = !placement || (hasReorged && recordOf(placement.block).state === 'unverified')
    const answer = isLoose ? later.findLast((one) => isAnswer(one, index)) : undefined
    if (answer?.kind === 'absent') return { is: 'absent' }
    const waiting = answer && shown.get(answer)?.get(index)
    if (waiting) return { is: 'mempool', by: answer, block: null, transfer: waiting }
    if (isMissing) return { is: 'absent' }
    if (!placement) return { is: 'undetermined' }
    const transfer = shown.get(placement)?.get(index)
    const there = { by: placement, block: placement.block }
    return transfer ? { is: 'present', ...there, transfer } : { is: 'nothing', ...there }
  }

  /** The scan position of the first absence since the transaction was last seen in a block. */
  function missedSince(): bigint | null {
    const at = sorted.findLastIndex((one) => one.kind === 'seen' && one.block !== null && !isStale(one as Placed))
    return sorted.slice(at + 1).find(({ kind }) => kind === 'absent')?.clock.head ?? null
  }

  return {
    indexes: [...new Set(sightings.flatMap((one) => one.transfers.map(({ index }) => index)))],
    sightings,
    placed,
    isVoid,
    storedRecordOf,
    recordOf,
    standingAt,
    missedSince,
    lastInspection: sorted.findLast(({ by }) => by === 'inspection'),
    /** The scan position of the newest answer that names a block. */
    answeredAt: placed
      .filter(({ by, block }) => by === 'inspection' && !isVoid(block))
      .reduce((newest, { clock }) => (clock.head > newest ? clock.head : newest), 0n),
  }
}

/** Whether the clock was read before the block's state changed. */
function isOlder({ generation, head }: ScanClock, record: BlockRecord): boolean {
  return generation < record.generation || (generation === record.generation && head < record.since)
}

/** Whether the clock was read after the block's state changed. */
export function isNewer({ generation, head }: ScanClock, record: BlockRecord): boolean {
  return generation > record.generation || (generation === record.generation && head > record.since)
}
