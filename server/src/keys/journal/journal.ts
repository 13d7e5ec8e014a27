/**
 * The signing journal, a write-ahead log: each signed transaction, with its bytes and the deposits that it settles, is
 * on disk before a node can get it. It is outside the database, so restoring an old backup cannot make the service
 * forget a signature. One record is called a line; lines are stored in numbered segment files.
 */
import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { boundedSet } from '@causeway/chain-kit'
import { damagedAt, JournalDamaged } from './damaged.ts'
import {
  closingOf,
  createBusy,
  type Find,
  judge,
  type Proposal,
  type SlotRef,
  signaturesIn,
  slotBefore,
  type Verdict,
} from './fences.ts'
import { headBefore, openFolders } from './folders.ts'
import { openIndex, type SegmentIndex } from './index-file.ts'
import {
  type Closing,
  type Content,
  type Entry,
  FORMAT,
  hashOf,
  isSigned,
  type JournalState,
  keysOf,
  type Opening,
  PRUNED,
  readLine,
  type Signature,
  type StopCode,
  type Vector,
  writeLine,
} from './line.ts'
import { checkMarks, type MarkFile, openMark } from './mark.ts'
import { BEFORE_FIRST, type Head, listSegments, readSegment, readText, scanSegment, segmentFile } from './segment.ts'
import { createSpentBook, type Outflow } from './spent.ts'
import { highest, nextBranch } from './start.ts'
import { openWriter, type Writer } from './writer.ts'

/** A segment longer than this is closed, and a new one begins. */
const SEGMENT_BYTES = 64 * 1024 * 1024
/** Longer ago than any process is paused. */
const MOST_RELEASED = 100_000

export interface JournalOptions {
  /** Null keeps the lines in memory only, with the same fences; tests use it. */
  folder: string | null
  copy?: string | null
  now: () => Date
  /** Called once if a line cannot be written. After that the journal signs nothing. */
  onBroken?: (error: unknown) => void
  segmentBytes?: number
  sync?: (file: FileHandle) => Promise<void>
}

/** The signature's part of a line; the slot, the payouts and the fee come from the proposal. */
type Signing = Pick<Signature, 'hash' | 'bytes' | 'tokens' | 'writer'>

interface Bound {
  /** Appends the line to the journal. The signed bytes may be sent only after this resolves. */
  record(signing: Signing): Promise<Entry<Signature>>
  /** Releases the slot and the payouts if signing failed. */
  abandon(): void
}

export interface Journal {
  id: string
  /** Id of the database that the journal belongs to; null in a new journal until a database is named. */
  database(): string | null
  state(): JournalState
  /** Whether a line could not be written. Nothing is signed until a restart. */
  isBroken(): boolean
  /** The last line that is on disk. */
  head(): Head
  hasSignatures(): boolean
  lastBranch(): number
  /** Number of the last line that records a restore of the database; 0 if there is none. */
  restoredTo(): number
  /** Assigns a new journal to this database. */
  claim(database: string): Promise<void>
  judge(proposal: Proposal): Verdict
  /**
   * Reserves slot, payouts and approvals of a proposal that `judge` found free, and counts it in the outflow. Call it
   * without an `await` after `judge`: otherwise two requests could pass the same fence. `fee`: its maximum fee.
   */
  bind(proposal: Proposal, slot: { isNew: boolean; feeBefore: bigint }, fee: bigint): Bound
  /** Whether a signature in this slot is being made or written, or could not be written. */
  isSigning(slot: SlotRef): boolean
  /** All signatures in this slot, oldest first, each with the way its slot was closed. */
  signatures(slot: SlotRef): { record: Entry<Signature>; closing: Closing | null }[]
  /** Allocations of slots for which nothing is signed any more. In memory only: the fences hold after a restart. */
  released: Set<string>
  /** Lines after `n`, oldest first. */
  after(n: number): Generator<Entry>
  outflow(now: Date): Outflow
  close(closing: Omit<Closing, 'type'>): Promise<void>
  /** Gives this process a branch that no other has: the number is on disk when it is returned. */
  branch(writer: string): Promise<number>
  stop(code: StopCode, mark: Vector, found: Vector): Promise<void>
  restored(vector: Vector, by: string): Promise<void>
  mark(): Vector
  saveMark(vector: Vector): Promise<void>
  /** Records that the lines up to this one were removed. */
  pruned(last: Head): Promise<void>
  /** Waits for pending writes, then closes the files and releases the lock of the folder. */
  end(): Promise<void>
}

/** Opens the journal in a folder. An empty folder becomes a new journal of the given database. */
export async function openJournal(options: JournalOptions & { database?: string }): Promise<Journal> {
  const { folder, copy = null } = options
  if (folder === null) return openLines(options, '', [], [], () => undefined)
  const folders = copy === null ? [folder] : [folder, copy]
  const unlock = openFolders(folders)
  const marks: MarkFile[] = []
  try {
    for (const one of folders) marks.push(await openMark(one))
    return await openLines(options, folder, folders, marks, unlock)
  } catch (error) {
    for (const mark of marks) await mark.close()
    unlock()
    throw error
  }
}

interface Spot {
  segment: number
  offset: number
}

async function openLines(
  options: JournalOptions & { database?: string },
  folder: string,
  folders: readonly string[],
  marks: readonly MarkFile[],
  unlock: () => void,
): Promise<Journal> {
  const { now, segmentBytes = SEGMENT_BYTES } = options
  const isMemory = folders.length === 0
  const segments = isMemory ? [] : listSegments(folder)
  const closed = new Map<number, SegmentIndex>(segments.slice(0, -1).map((one) => [one, openIndex(folder, one)]))
  let current = segments.at(-1) ?? 1
  let size = 0
  let index = new Map<string, number[]>()
  /** Lines that may not be on disk yet, by offset; all lines if the journal is in memory only. */
  const unwritten = new Map<string, Entry>()
  const spent = createSpentBook()
  let opening: Opening | null = null
  let state: JournalState = 'running'
  let branch = 0
  let restored = 0
  let mark: Vector = {}
  let signatures = segments.length > 1
  let head: Head = isMemory ? { ...BEFORE_FIRST, n: memoryBase() } : BEFORE_FIRST
  let durable = head

  const lineAt = ({ segment, offset }: Spot): Entry => {
    const waiting = unwritten.get(`${segment}:${offset}`)
    if (waiting) return waiting
    const entry = readLine(readText(segmentFile(folder, segment), offset))
    if (!entry) throw new JournalDamaged(`the journal is damaged at byte ${offset} of ${segmentFile(folder, segment)}`)
    return entry
  }
  const find: Find = (key) => {
    const spots = [...closed].flatMap(([segment, one]) => one.find(key).map((offset) => ({ segment, offset })))
    const here = index.get(key)?.map((offset) => ({ segment: current, offset })) ?? []
    // The index stores only sixteen bytes of each hash, so a hit may be another key: compare the full key.
    return [...spots, ...here].map(lineAt).filter(({ content }) => keysOf(content).includes(key))
  }
  const apply = ({ n, content, at }: Entry, offset: number, slot = { isNew: true, feeBefore: 0n }) => {
    for (const key of new Set(keysOf(content))) index.set(key, [...(index.get(key) ?? []), offset])
    if (content.type === 'opened') {
      opening = content
      state = content.state
      branch = Math.max(branch, content.branch)
      restored = Math.max(restored, content.restored)
      mark = highest(mark, content.mark)
      spent.load(content.spent)
    }
    if (content.type === 'signed') {
      signatures = true
      spent.add(new Date(at), content, slot)
    }
    if (content.type === 'branch') branch = Math.max(branch, content.branch)
    if (content.type === 'stopped') state = content.code
    if (content.type === 'restored') {
      state = 'running'
      restored = n
      mark = content.vector
    }
  }

  if (segments.length > 0) {
    const hashes = new Map<number, string>()
    const scan = scanSegment(readSegment(folder, current), headBefore(folder, current), (entry, offset) => {
      hashes.set(entry.n, entry.hash)
      const before = isSigned(entry) ? slotBefore(find, entry.content) : undefined
      unwritten.set(`${current}:${offset}`, entry)
      apply(entry, offset, before)
      head = { n: entry.n, hash: entry.hash }
    })
    unwritten.clear()
    requireOldest(folder, segments[0] ?? 1, lineAt, find)
    size = scan.end
    durable = head
    await checkMarks(marks, head, hashes)
    for (const one of marks) mark = state === 'running' ? highest(mark, (await one.read())?.vector ?? {}) : mark
  }
  const writer = isMemory
    ? NO_WRITER
    : await openWriter({
        folders,
        segment: current,
        onBroken: options.onBroken ?? (() => undefined),
        ...(options.sync ? { sync: options.sync } : {}),
      })

  const append = async (content: Content, isLazy = false, slot?: { isNew: boolean; feeBefore: bigint }) => {
    if (size > segmentBytes && !isMemory) rotate()
    return write(content, isLazy, slot)
  }
  const write = async (content: Content, isLazy: boolean, slot?: { isNew: boolean; feeBefore: bigint }) => {
    const at = now()
    const text = writeLine(head.n + 1, head.hash, at, content)
    const entry: Entry = { n: head.n + 1, prev: head.hash, at: at.toISOString(), hash: hashOf(text), content }
    const spot = `${current}:${size}`
    unwritten.set(spot, entry)
    apply(entry, size, slot)
    size += Buffer.byteLength(text) + 1
    head = { n: entry.n, hash: entry.hash }
    await writer.append(text, isLazy)
    if (!isMemory) unwritten.delete(spot)
    if (!isLazy && entry.n > durable.n) durable = { n: entry.n, hash: entry.hash }
    return entry
  }
  const rotate = () => {
    const full = current
    const opened = openingOf(opening, { state, branch, restored, mark, spent: spent.list(now()) })
    const kept = index
    current++
    size = 0
    index = new Map()
    writer.begin(current)
    // Until the index of the old segment is on disk, its lines are found through the index in memory.
    closed.set(full, { find: (key) => kept.get(key) ?? [], close: () => undefined })
    // If it cannot be written, for example because the disk is full, the one in memory stays.
    void write(opened, false)
      .then(() => closed.set(full, openIndex(folder, full, kept)))
      .catch(() => undefined)
  }

  if (segments.length === 0) {
    const blank = { journal: randomUUID(), database: options.database ?? '' }
    await append({ type: 'opened', format: FORMAT, ...blank, state, branch, restored, mark, spent: [] })
  }
  const id = openedAs(opening).journal
  const busy = createBusy()
  const synced = (content: Content) => append(content).then(() => undefined)

  return {
    id,
    database: () => openedAs(opening).database || null,
    state: () => state,
    head: () => durable,
    hasSignatures: () => signatures,
    lastBranch: () => branch,
    restoredTo: () => restored,
    isBroken: () => writer.isBroken(),
    async claim(database) {
      if (openedAs(opening).database) throw new JournalDamaged('the journal belongs to another database')
      await append({ ...openingOf(opening, { state, branch, restored, mark, spent: spent.list(now()) }), database })
    },
    judge(proposal) {
      if (busy.has(proposal)) return { is: 'refused', refusal: { code: 'signing_now' } }
      return judge(find, proposal)
    },
    bind(proposal, slot, fee) {
      const release = busy.take(proposal)
      const unreserve = spent.reserve({ ...proposal, fee: fee.toString() }, slot)
      const abandon = () => {
        unreserve()
        release()
      }
      return {
        abandon,
        async record(signing) {
          const { known: _, ...rest } = proposal
          const content = {
            ...{
              type: 'signed' as const,
              ...rest,
              ...signing,
              fee: fee.toString(),
              slot: [...proposal.slot],
              payouts: [...proposal.payouts],
            },
            approvals: [...proposal.approvals],
            ...(proposal.facts ? { facts: [...proposal.facts] } : {}),
          }
          // No caller may get the bytes before the line is on disk. If the line cannot be written, the bytes are never
          // released.
          const written = append(content as Signature, false, slot)
          // From here on the line itself counts in the outflow.
          unreserve()
          const entry = await written
          abandon()
          return entry as Entry<Signature>
        },
      }
    },
    isSigning: (slot) => busy.hasSlot(slot),
    released: boundedSet(MOST_RELEASED),
    signatures: (slot) => signaturesIn(find, slot).map((record) => ({ record, closing: closingOf(find, record) })),
    *after(n) {
      if (isMemory) return yield* [...unwritten.values()].filter((entry) => entry.n > n)
      const all = [...closed.keys(), current]
      // The newest segment that begins at or before the wanted line.
      const from = all.findLast((segment) => lineAt({ segment, offset: 0 }).n <= n + 1) ?? all[0]
      for (const segment of all.filter((one) => one >= (from ?? 0))) {
        const entries: Entry[] = []
        const scan = scanSegment(readSegment(folder, segment), null, (entry) => entries.push(entry))
        if (scan.rest === 'damaged') throw damagedAt(folder, segment, scan.lines + 1)
        yield* entries.filter((entry) => entry.n > n)
      }
    },
    outflow: (at) => spent.outflow(at),
    close: (closing) => append({ type: 'closed', ...closing }, true).then(() => undefined),
    async branch(owner) {
      const next = nextBranch(branch, now())
      await append({ type: 'branch', writer: owner, branch: next })
      return next
    },
    stop: (code, before, found) => synced({ type: 'stopped', code, mark: before, found }),
    restored: (vector, by) => synced({ type: 'restored', vector, by }),
    pruned: ({ n, hash }) => synced({ type: 'pruned', last: n, hash }),
    mark: () => mark,
    async saveMark(vector) {
      // Writers that are not listed have ended.
      mark = highest(Object.fromEntries(Object.entries(mark).filter(([id]) => id in vector)), vector)
      for (const one of marks) await one.write({ vector: mark, head: durable })
    },
    async end() {
      await writer.close()
      for (const one of closed.values()) one.close()
      for (const one of marks) await one.close()
      unlock()
    },
  }
}

function openingOf(
  opening: Opening | null,
  now: Pick<Opening, 'state' | 'branch' | 'restored' | 'mark' | 'spent'>,
): Opening {
  return { ...openedAs(opening), ...now }
}

function openedAs(opening: Opening | null): Opening {
  if (!opening) throw new JournalDamaged('the journal does not begin with its opening')
  return opening
}

/** Throws if the oldest segments are missing and no prune removed them: their fences would be lost without notice. */
function requireOldest(folder: string, first: number, lineAt: (spot: Spot) => Entry, find: Find): void {
  if (first === 1) return
  const { n } = lineAt({ segment: first, offset: 0 })
  // An interrupted prune has removed only some of its segments.
  const isPruned = find(PRUNED).some(({ content }) => content.type === 'pruned' && content.last >= n - 1)
  if (!isPruned) throw new JournalDamaged(`${folder}: the segments before ${first} are missing: put them back`)
}

const NO_WRITER: Writer = {
  isBroken: () => false,
  append: async () => undefined,
  begin: () => undefined,
  close: async () => undefined,
}

const BASE_BITS = 22
let opened = 0

/**
 * First line number of a journal in memory. Each such journal gets its own range, because attempts in one database must
 * not share a line number.
 */
function memoryBase(): number {
  return process.pid * 2 ** 30 + opened++ * 2 ** BASE_BITS
}
