/** Segments: the journal's files `000001.log`, `000002.log` and so on, read whole and checked line by line. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Entry, NO_HASH, readLine } from './line.ts'

const LINE_BREAK = 0x0a

/** The last line of a chain of lines, or the position before its first. */
export interface Head {
  n: number
  hash: string
}

export const BEFORE_FIRST: Head = { n: 0, hash: NO_HASH }

export interface Scan {
  /** The last valid line; null if there is none. */
  last: Entry | null
  /** Offset in bytes at which the valid lines end. */
  end: number
  /** The bytes after the valid lines: none, an unfinished line, or a line that was changed. */
  rest: 'none' | 'torn' | 'damaged'
  /** Number of valid lines. */
  lines: number
}

export function segmentFile(folder: string, number: number): string {
  return path.join(folder, `${String(number).padStart(6, '0')}.log`)
}

export function indexFile(folder: string, number: number): string {
  return segmentFile(folder, number).replace(/log$/, 'idx')
}

/** Numbers of the segments in a folder, in ascending order. */
export function listSegments(folder: string): number[] {
  const names = readdirSync(folder).flatMap((name) => /^(\d{6,})\.log$/.exec(name)?.[1] ?? [])
  return names.map(Number).sort((a, b) => a - b)
}

export function sizeOf(folder: string, number: number): number {
  return statSync(segmentFile(folder, number)).size
}

export function readSegment(folder: string, number: number): Buffer {
  return readFileSync(segmentFile(folder, number))
}

/**
 * Reads lines until one does not follow from its predecessor. `before` is the line before the first; null accepts any
 * first line. Only a last line without a line break counts as torn. A complete line that does not fit was changed after
 * it was written.
 */
export function scanSegment(
  bytes: Buffer,
  before: Head | null,
  visit: (entry: Entry, offset: number) => void = () => undefined,
): Scan {
  const scan: Scan = { last: null, end: 0, rest: 'none', lines: 0 }
  let head = before
  while (scan.end < bytes.length) {
    const stop = bytes.indexOf(LINE_BREAK, scan.end)
    if (stop < 0) return { ...scan, rest: 'torn' }
    const entry = readLine(bytes.toString('utf8', scan.end, stop))
    const follows = entry && (!head || (entry.n === head.n + 1 && entry.prev === head.hash))
    if (!follows) return { ...scan, rest: 'damaged' }
    visit(entry, scan.end)
    head = { n: entry.n, hash: entry.hash }
    scan.last = entry
    scan.lines++
    scan.end = stop + 1
  }
  return scan
}

const CHUNK = 16_384

/** The line at an offset, without its line break. */
export function readText(file: string, offset: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const chunks: Buffer[] = []
    for (let position = offset; ; position += CHUNK) {
      const chunk = Buffer.alloc(CHUNK)
      const read = readSync(descriptor, chunk, 0, CHUNK, position)
      const stop = chunk.subarray(0, read).indexOf(LINE_BREAK)
      chunks.push(chunk.subarray(0, stop < 0 ? read : stop))
      if (stop >= 0 || read === 0) return Buffer.concat(chunks).toString('utf8')
    }
  } finally {
    closeSync(descriptor)
  }
}
