/**
 * Prepares the journal's folder and its copy at a start: cuts off an unfinished last line, and extends the shorter
 * folder to match the longer one. A damaged line or two different continuations stop the start, and an operator
 * decides.
 */
import { closeSync, copyFileSync, fsyncSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../../config.ts'
import { damagedAt, JournalDamaged } from './damaged.ts'
import { hashOf } from './line.ts'
import { lockFile } from './lock.ts'
import {
  BEFORE_FIRST,
  type Head,
  indexFile,
  listSegments,
  readSegment,
  scanSegment,
  segmentFile,
  sizeOf,
} from './segment.ts'

const LOCK = 'lock'

/**
 * Creates and locks the folders, and leaves equal, complete segments in both. Returns the function that unlocks them.
 */
export function openFolders(folders: readonly string[]): () => void {
  const unlock = lockFolders(folders)
  try {
    for (const folder of folders) trim(folder)
    const [first, copy] = folders
    if (first !== undefined && copy !== undefined) level(first, copy)
    return unlock
  } catch (error) {
    unlock()
    throw error
  }
}

/** Locks the folders against other processes. Returns the function that unlocks them. */
export function lockFolders(folders: readonly string[]): () => void {
  const unlocks: (() => void)[] = []
  const unlock = () => {
    for (const one of unlocks) one()
  }
  try {
    for (const folder of folders) {
      makeFolder(folder)
      unlocks.push(lockFile(path.join(folder, LOCK)))
    }
    return unlock
  } catch (error) {
    unlock()
    throw error
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError(`the journal's folder ${folder} cannot be made: ${messageOf(error)}`)
  }
}

/**
 * Cuts off an unfinished last line. Its signature was never returned to a caller, because the write did not complete.
 */
function trim(folder: string): void {
  const segments = listSegments(folder)
  const last = segments.at(-1)
  if (last === undefined) return
  const gap = segments.find((number, position) => position > 0 && number !== (segments[position - 1] ?? 0) + 1)
  if (gap !== undefined) throw new JournalDamaged(`${folder}: the segment before ${gap} is missing`)
  const scan = scanSegment(readSegment(folder, last), headBefore(folder, last))
  if (scan.rest === 'damaged') throw damagedAt(folder, last, scan.lines + 1)
  if (scan.last === null) {
    // An empty segment: the process crashed after it created the file and before it wrote the first line.
    rmSync(segmentFile(folder, last))
    trim(folder)
  } else if (scan.rest === 'torn') truncate(segmentFile(folder, last), scan.end)
}

/** The line that the first line of a segment must follow; null if a prune removed that line. */
export function headBefore(folder: string, segment: number): Head | null {
  if (segment === 1) return BEFORE_FIRST
  if (!listSegments(folder).includes(segment - 1)) return null
  const bytes = readSegment(folder, segment - 1)
  const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
  const text = bytes.toString('utf8', start, bytes.length - 1)
  const n = Number(/^\{"n":(\d+),/.exec(text)?.[1] ?? 0)
  return { n, hash: hashOf(text) }
}

/** Copies the missing lines to the shorter folder, if its content is the beginning of the longer one. */
function level(first: string, copy: string): void {
  const [longer, shorter] = isLonger(copy, first) ? [copy, first] : [first, copy]
  const missing = listSegments(longer)
  const present = listSegments(shorter)
  const last = present.at(-1)
  if (last !== undefined) {
    const here = readSegment(shorter, last)
    const there = missing.includes(last) ? readSegment(longer, last) : Buffer.alloc(0)
    if (!there.subarray(0, here.length).equals(here)) {
      throw new JournalDamaged(`${first} and ${copy} went different ways: keep the one that the service used last`)
    }
    append(segmentFile(shorter, last), here.length, there.subarray(here.length))
  }
  for (const number of missing.filter((one) => last === undefined || one > last)) {
    copyFileSync(segmentFile(longer, number), segmentFile(shorter, number))
    sync(segmentFile(shorter, number))
    rmSync(indexFile(shorter, number), { force: true })
  }
  sync(shorter)
}

function isLonger(a: string, b: string): boolean {
  const [lastA = 0, lastB = 0] = [listSegments(a).at(-1), listSegments(b).at(-1)]
  if (lastA !== lastB || lastA === 0) return lastA > lastB
  return sizeOf(a, lastA) > sizeOf(b, lastB)
}

function truncate(file: string, size: number): void {
  const descriptor = openSync(file, 'r+')
  ftruncateSync(descriptor, size)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function append(file: string, offset: number, bytes: Buffer): void {
  if (bytes.length === 0) return
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Flushes a file or a folder to disk (fsync). */
export function sync(name: string): void {
  const descriptor = openSync(name, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
