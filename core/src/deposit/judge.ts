/**
 * The deposit state machine. From all node reports about one transaction, it decides which deposits are pending,
 * credited, orphaned or superseded, what to do next, and what to inspect again. The order of the reports does not
 * matter.
 */
import type { BlockRef } from '../money/block.ts'
import type { DepositTransfer, Observation, Seen } from './observation.ts'
import { isEqual, isSameTransfer, isWhole } from './same-transfer.ts'
import {
  type BlockRecord,
  type BlockState,
  type BlockView,
  isNewer,
  readObservations,
  type Standing,
} from './standing.ts'

/** A stored deposit. `required`: the confirmations that it must have. */
export interface KnownDeposit {
  id: string
  transfer: DepositTransfer
  block: BlockRef | null
  /** If the deposit belongs to a swap, only `advance` changes its state. */
  state: 'seen' | 'confirmed' | 'gone' | 'lost'
  spentUnits: bigint
  swapId: string | null
  isSuperseded: boolean
  isFinal: boolean
  required: number
}

export interface DepositRules {
  finalDepth: number
  known: readonly KnownDeposit[]
  /** True if the judgement follows an inspection: by then the required confirmations of all deposits are decided. */
  mayCredit: boolean
  /** The confirmations that a new transfer must have. */
  required(transfer: DepositTransfer): number
}

export type DepositStep =
  /** A new deposit. `isAfterLoss`: an earlier one at this index was lost, so the new one is assigned to no swap. */
  | { do: 'insert'; id: string; transfer: DepositTransfer; block: BlockRef | null; isAfterLoss: boolean }
  /** An orphaned deposit is on chain again and becomes pending. */
  | { do: 'revive'; id: string; transfer: DepositTransfer; block: BlockRef | null; isAfterLoss: boolean }
  /** The deposit is now in this block, with this content. */
  | { do: 'move'; id: string; transfer: DepositTransfer; block: BlockRef | null }
  /**
   * Credits the deposit. `isBesideLoss`: another deposit of the transaction was lost after we paid it out, so this one
   * is credited to no swap.
   */
  | { do: 'credit'; id: string; units: bigint; isBesideLoss: boolean; isKnownLoss: boolean }
  | { do: 'orphan' | 'supersede' | 'restore'; id: string }
  /** A node contradicts a credited deposit: its block and all later ones must be verified again. */
  | { do: 'doubt'; id: string; from: bigint }
  /** A node contradicts a final deposit. Only an operator can resolve it. */
  | { do: 'alert'; id: string }

/**
 * Why a transaction is inspected (a *look* is a scheduled inspection). `unlocatable`: it waits for reverification, and
 * no node located it within the final depth.
 */
export type LookClass = 'credit' | 'reverify' | 'mempool' | 'orphaned' | 'lost' | 'unlocatable'

/** A scheduled inspection. `due`: the scan position from which it may run. `since`: where its waiting time began. */
export interface Look {
  class: LookClass
  due: bigint
  since: bigint
}

export interface DepositVerdict {
  id: string
  state: 'pending' | 'credited' | 'orphaned' | 'orphaned_after_spend' | 'superseded' | 'unmatched'
  block: BlockRef | null
  units: bigint
  isFinal: boolean
  isInReverification: boolean
}

export interface Judgement {
  actions: readonly DepositStep[]
  verdicts: readonly DepositVerdict[]
  looks: readonly Look[]
  /** Blocks that are new or whose state changed. */
  blocks: readonly (BlockRef & { state: BlockState })[]
  /** A spent deposit was orphaned. Only `advance` knows whether money was sent: apply the actions and judge again. */
  isOpen: boolean
}

/** An orphaned deposit is inspected until this many final depths have passed. */
export const ORPHAN_LOOKUP_DEPTHS = 2n

export function judgeDeposit(observations: readonly Observation[], blocks: BlockView, rules: DepositRules): Judgement {
  const final = BigInt(rules.finalDepth)
  const reading = readObservations(observations, blocks, rules.finalDepth)
  const known = new Map(rules.known.map((one) => [one.id, one]))
  const actions: DepositStep[] = []
  /**
   * Deposits that this judgement does not change again: the caller must first store the step and check the other
   * deposits.
   */
  const settled = new Set<string>()
  let doubtedFrom: bigint | null = null
  let isOpen = false

  const indexes = new Set([...reading.indexes, ...rules.known.map(({ transfer }) => transfer.index)])
  const inOrder = [...indexes].sort((a, b) => a - b)
  for (let before = -1; before < actions.length; ) {
    before = actions.length
    for (const index of inOrder) {
      for (let action = nextAt(index); action; action = nextAt(index)) {
        actions.push(action)
        apply(action)
      }
    }
  }
  const deposits = [...known.values()]
  return {
    actions,
    verdicts: deposits.map(toVerdict),
    looks: mergeLooks(deposits.flatMap(looksFor)),
    blocks: changedBlocks(),
    isOpen,
  }

  function nextAt(index: number): DepositStep | null {
    if (isOpen) return null
    const standing = reading.standingAt(index)
    const here = [...known.values()].filter(({ transfer }) => transfer.index === index)
    const live = here.find(({ isSuperseded }) => !isSuperseded)
    if (live) return judgeLive(live, standing, here)
    return standing.is === 'present' || standing.is === 'mempool' ? begin(standing, here) : null
  }

  /** No live deposit has this index: an earlier one returns, one moves here from another index, or a new one begins. */
  function begin(
    { transfer, block, by }: Standing & { is: 'present' | 'mempool' },
    former: KnownDeposit[],
  ): DepositStep {
    const returned = former.find((one) => isItself(transfer, one))
    if (returned) return { do: 'restore', id: returned.id }
    const moved = block && [...known.values()].find((one) => isMovedTo(one, transfer, by))
    if (moved) return { do: 'move', id: moved.id, transfer, block }
    const isAfterLoss = former.some(({ state }) => state === 'lost')
    return { do: 'insert', id: `new ${transfer.index}`, transfer, block, isAfterLoss }
  }

  /** A reorg removed the deposit's block, and the same coins are now at another index of the transaction. */
  function isMovedTo(one: KnownDeposit, transfer: DepositTransfer, by: Seen): boolean {
    const { block, state } = one
    const isHomeless = !one.isSuperseded && !one.isFinal && state !== 'gone' && block !== null && reading.isVoid(block)
    const isGoneThere = !by.transfers.some(({ index }) => index === one.transfer.index)
    return isHomeless && isGoneThere && isEqual(one.transfer, transfer)
  }

  function judgeLive(deposit: KnownDeposit, standing: Standing, here: KnownDeposit[]): DepositStep | null {
    const { id, state, isFinal, transfer } = deposit
    if (settled.has(id) || standing.is === 'undetermined') return null
    if (isFinal) return standing.is === 'present' && !isEqual(standing.transfer, transfer) ? { do: 'alert', id } : null
    if (state === 'confirmed') return judgeCredited(deposit, standing)
    const isShown = standing.is === 'present' || standing.is === 'mempool'
    const isIt = isShown && isItself(standing.transfer, deposit)
    if (state === 'seen') {
      const isBackInMempool = standing.is === 'mempool' && deposit.block !== null
      if (!isIt || isBackInMempool) return movedAway(deposit, standing) ?? { do: 'orphan', id }
      return moved(deposit, standing) ?? credited(deposit, standing)
    }
    if (!isShown || (standing.is === 'mempool' && (state === 'lost' || !isIt))) return movedAway(deposit, standing)
    if (!isIt) return { do: 'supersede', id }
    const isAfterLoss = here.some((one) => one.state === 'lost')
    if (state === 'gone') return { do: 'revive', id, transfer: standing.transfer, block: standing.block, isAfterLoss }
    return moved(deposit, standing) ?? credited(deposit, standing)
  }

  function judgeCredited(
    deposit: KnownDeposit,
    standing: Exclude<Standing, { is: 'undetermined' }>,
  ): DepositStep | null {
    const { id, transfer, block } = deposit
    if (!block) return null
    // Uses the block's stored state, not the one that this judgement derives: one inspection may both verify the block
    // and contradict the deposit.
    const record = reading.storedRecordOf(block)
    const { state } = record
    if (standing.is === 'present' && isEqual(standing.transfer, transfer)) {
      // Only one block contains the transaction: a node on another branch must not move it out of a valid block.
      const isElsewhere = standing.block.hash !== block.hash
      return isElsewhere && state === 'canonical' ? { do: 'doubt', id, from: block.number } : moved(deposit, standing)
    }
    if (standing.is === 'present' || standing.is === 'nothing') {
      if (state === 'canonical') return { do: 'doubt', id, from: block.number }
      // The scan's node may lag, so only an inspection decides, and it must be newer than the one that raised the
      // doubt.
      const { by, clock } = standing.by
      const isProof = by === 'inspection' && (state === 'orphaned' || isNewer(clock, record))
      return movedAway(deposit, standing) ?? (isProof ? { do: 'orphan', id } : null)
    }
    return state === 'canonical' ? null : { do: 'orphan', id }
  }

  /** An inspection shows nothing at the deposit's index, and the same coins at an index without a deposit. */
  function movedAway(deposit: KnownDeposit, standing: Standing): DepositStep | null {
    if (standing.is !== 'nothing') return null
    const { by, block } = standing
    const taken = new Set([...known.values()].filter((one) => !one.isSuperseded).map((one) => one.transfer.index))
    const transfer = by.transfers.find((each) => !taken.has(each.index) && isMovedTo(deposit, each, by))
    return transfer ? { do: 'move', id: deposit.id, transfer, block } : null
  }

  function moved(
    deposit: KnownDeposit,
    { transfer, block }: Standing & { is: 'present' | 'mempool' },
  ): DepositStep | null {
    const isThere = deposit.block?.hash === block?.hash && !isNews(transfer, deposit)
    return isThere ? null : { do: 'move', id: deposit.id, transfer, block }
  }

  function credited(deposit: KnownDeposit, standing: Standing): DepositStep | null {
    if (standing.is !== 'present' || !rules.mayCredit) return null
    const { transfer, block } = standing
    const proof = reading.lastInspection
    const isDeep =
      proof?.kind === 'seen' &&
      proof.block?.hash === block.hash &&
      proof.clock.generation === blocks.generation &&
      proof.confirmations >= deposit.required &&
      block.number + BigInt(deposit.required) <= blocks.scannedTo + 1n &&
      proof.transfers.some((each) => each.index === transfer.index && isEqual(each, transfer))
    if (!isDeep) return null
    const risks = deposit.state === 'seen' ? [...known.values()].filter((one) => isRisk(one, deposit)) : []
    const isBesideLoss = risks.some((one) => one.state === 'lost' || isUnlocatable(one))
    if (risks.length > 0 && !isBesideLoss) return null
    const isKnownLoss = risks.some((one) => one.isSuperseded && one.transfer.index === transfer.index)
    return { do: 'credit', id: deposit.id, units: transfer.units, isBesideLoss, isKnownLoss }
  }

  /**
   * Whether crediting `deposit` could count the same coins twice: `one` was credited and may be gone. They are different
   * coins if the deposit's own block shows both. A former block proves that only if not just the indexes differ.
   */
  function isRisk(one: KnownDeposit, deposit: KnownDeposit): boolean {
    if (one.id === deposit.id || (one.state !== 'lost' && !(one.state === 'confirmed' && isUncertain(one))))
      return false
    const isAlike = isSameTransfer(one.transfer, deposit.transfer)
    const showBoth = ({ block, transfers }: Seen) =>
      transfers.some((each) => isWhole(each, one.transfer)) &&
      transfers.some((each) => each.index === deposit.transfer.index && isEqual(each, deposit.transfer)) &&
      (!isAlike || block?.hash === deposit.block?.hash)
    return !reading.sightings.some(showBoth)
  }

  /**
   * Whether the transfer is this deposit. A lost one that returns with less than we spent of it is another one, and an
   * operator decides. So does one with more, while another loss of the transaction may be what it gained.
   */
  function isItself(transfer: DepositTransfer, { id, state, spentUnits, transfer: before }: KnownDeposit): boolean {
    if (state !== 'lost' || !isSameTransfer(transfer, before)) return isSameTransfer(transfer, before)
    const isMore = transfer.units > before.units
    return (
      transfer.units >= spentUnits && !(isMore && [...known.values()].some((one) => one.id !== id && isMissing(one)))
    )
  }

  function isMissing({ state, transfer, isSuperseded }: KnownDeposit): boolean {
    const standing = reading.standingAt(transfer.index)
    return state === 'lost' && (isSuperseded || standing.is !== 'present' || !isWhole(standing.transfer, transfer))
  }

  function apply(action: DepositStep): void {
    const before = known.get(action.id)
    if (action.do === 'insert') {
      const { id, transfer, block } = action
      const fresh = { state: 'seen', spentUnits: 0n, swapId: null, isSuperseded: false, isFinal: false } as const
      known.set(id, { id, transfer, block, required: rules.required(transfer), ...fresh })
      settled.add(id)
      return
    }
    if (!before) return
    const change = (fields: Partial<KnownDeposit>) => known.set(before.id, { ...before, ...fields })
    switch (action.do) {
      case 'move':
      case 'revive': {
        const state = action.do === 'revive' ? 'seen' : before.state
        change({ state, block: action.block, transfer: refreshed(before, action.transfer) })
        if (action.do === 'revive' || before.state === 'lost') settled.add(before.id)
        break
      }
      case 'credit':
        change({
          state: 'confirmed',
          transfer: { ...before.transfer, units: action.units },
          ...(action.isBesideLoss ? { swapId: null } : {}),
        })
        break
      case 'orphan':
        change({ state: 'gone' })
        isOpen = before.state === 'confirmed' && before.spentUnits > 0n
        break
      case 'supersede':
      case 'restore':
        change({ isSuperseded: action.do === 'supersede' })
        break
      case 'doubt':
        doubtedFrom = doubtedFrom === null || action.from < doubtedFrom ? action.from : doubtedFrom
        settled.add(before.id)
        break
      case 'alert':
        settled.add(before.id)
    }
  }

  function recordOf(block: BlockRef): BlockRecord {
    const record = reading.recordOf(block)
    const isDoubted = doubtedFrom !== null && block.number >= doubtedFrom && record.state === 'canonical'
    return isDoubted ? { state: 'unverified', generation: blocks.generation, since: blocks.scannedTo } : record
  }

  function isUncertain({ block, state, isFinal }: KnownDeposit): boolean {
    const isOnChain = block !== null && !isFinal && (state === 'seen' || state === 'confirmed')
    return isOnChain && recordOf(block).state !== 'canonical'
  }

  /** The scan position since which no node has located the deposit. */
  function uncertainSince({ block }: KnownDeposit): bigint {
    const began = block ? recordOf(block).since : 0n
    return reading.answeredAt > began ? reading.answeredAt : began
  }

  function isUnlocatable(deposit: KnownDeposit): boolean {
    return blocks.scannedTo - uncertainSince(deposit) >= final
  }

  function toVerdict(deposit: KnownDeposit): DepositVerdict {
    const { id, state, block, isFinal, swapId, isSuperseded, transfer } = deposit
    const credit = swapId === null ? 'unmatched' : 'credited'
    const names = { seen: 'pending', confirmed: credit, gone: 'orphaned', lost: 'orphaned_after_spend' } as const
    const name = isSuperseded ? 'superseded' : names[state]
    return { id, state: name, block, units: transfer.units, isFinal, isInReverification: isUncertain(deposit) }
  }

  function looksFor(deposit: KnownDeposit): Look[] {
    const { state, block, isSuperseded, isFinal, required } = deposit
    if (isSuperseded || isFinal) return []
    if (state === 'lost') return [{ class: 'lost', due: 0n, since: 0n }]
    if (state === 'gone') {
      // The deposit was seen only in the mempool. No inspection is needed: the scan finds it if it is mined later.
      if (!block) return []
      const missed = reading.missedSince() ?? 0n
      const since = missed > block.number ? missed : block.number
      if (since > blocks.scannedTo - ORPHAN_LOOKUP_DEPTHS * final) return [{ class: 'orphaned', due: 0n, since }]
      // No reorg removed the deposit's block: the nodes contradict each other, and the coins may still be there.
      return recordOf(block).state === 'canonical' ? [{ class: 'unlocatable', due: 0n, since }] : []
    }
    if (!block) return [{ class: 'mempool', due: 0n, since: 0n }]
    const looks: Look[] = []
    if (state === 'seen') looks.push({ class: 'credit', due: block.number + BigInt(required) - 1n, since: 0n })
    if (isUncertain(deposit))
      looks.push({
        class: isUnlocatable(deposit) ? 'unlocatable' : 'reverify',
        due: 0n,
        since: uncertainSince(deposit),
      })
    return looks
  }

  function changedBlocks(): (BlockRef & { state: BlockState })[] {
    const named = new Map(reading.placed.map(({ block }) => [block.hash, block]))
    return [...named.values()]
      .map((block) => ({ ...block, state: recordOf(block).state }))
      .filter(({ hash, state }) => blocks.find(hash)?.state !== state)
  }
}

/** The content to store when a deposit is seen again: known senders are kept, and credited units do not change. */
export function refreshed({ state, transfer: known }: KnownDeposit, now: DepositTransfer): DepositTransfer {
  const isCredited = state === 'confirmed' || state === 'lost'
  const senders = [...new Set([...known.senders, ...now.senders])]
  return { ...(isCredited ? { ...known, index: now.index } : now), senders, alias: now.alias ?? known.alias }
}

function isNews(transfer: DepositTransfer, deposit: KnownDeposit): boolean {
  const { units, from, senders, alias } = refreshed(deposit, transfer)
  const { transfer: known } = deposit
  return (
    units !== known.units || from !== known.from || alias !== known.alias || senders.length !== known.senders.length
  )
}

/** Keeps the earliest inspection per class. */
function mergeLooks(looks: readonly Look[]): Look[] {
  const earliest = (a: bigint, b: bigint) => (a < b ? a : b)
  const merged = new Map<LookClass, Look>()
  for (const look of looks) {
    const other = merged.get(look.class) ?? look
    merged.set(look.class, { ...look, due: earliest(look.due, other.due), since: earliest(look.since, other.since) })
  }
  return [...merged.values()]
}
