/**
 * The index of a closed segment: sorted hashes of keys with the offsets of their lines, so that a start need not read
 * years of lines. The index is derived from the segment. If it is missing or damaged, it is written again.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { damagedAt } from './damaged.ts'
import { keysOf, readLine } from './line.ts'
import { indexFile, readSegment, readText, scanSegment, segmentFile, sizeOf } from './segment.ts'

const HASH_BYTES = 16
const ENTRY_BYTES = HASH_BYTES + 8
const HEADER_BYTES = 8
const SUM_BYTES = 32

export interface SegmentIndex {
  /** Offsets of the lines that have this key, in file order. */
  find(key: string): number[]
  close(): void
}

/**
 * Opens the index of a closed segment, and writes the index file first if it is missing. `given`: keys and offsets, if
 * the caller knows them.
 */
export function openIndex(folder: string, number: number, given?: ReadonlyMap<string, number[]>): SegmentIndex {
  const file = indexFile(folder, number)
  const size = sizeOf(folder, number)
  if (!isWhole(file, size)) writeIndex(file, size, given ?? readPairs(folder, number))
  const descriptor = openSync(file, 'r')
  const count = (readFileSync(descriptor).length - HEADER_BYTES - SUM_BYTES) / ENTRY_BYTES
  const entry = Buffer.alloc(ENTRY_BYTES)
  const read = (position: number) => {
    readSync(descriptor, entry, 0, ENTRY_BYTES, HEADER_BYTES + position * ENTRY_BYTES)
    return entry
  }
  return {
    find(key) {
      const wanted = digest(key)
      let low = 0
      let high = count
      while (low < high) {
        const middle = (low + high) >> 1
        if (read(middle).compare(wanted, 0, HASH_BYTES, 0, HASH_BYTES) < 0) low = middle + 1
        else high = middle
      }
      const found: number[] = []
      for (let position = low; position < count; position++) {
        if (read(position).compare(wanted, 0, HASH_BYTES, 0, HASH_BYTES) !== 0) break
        found.push(Number(entry.readBigUInt64BE(HASH_BYTES)))
      }
      return found
    },
    close: () => closeSync(descriptor),
  }
}

/** Not synced to disk: the checksum detects a half-written index, and it is written again. */
function writeIndex(file: string, logSize: number, pairs: ReadonlyMap<string, number[]>): void {
  const entries: Buffer[] = []
  for (const [key, offsets] of pairs) {
    for (const offset of offsets) {
      const entry = Buffer.alloc(ENTRY_BYTES)
      digest(key).copy(entry)
      entry.writeBigUInt64BE(BigInt(offset), HASH_BYTES)
      entries.push(entry)
    }
  }
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeBigUInt64BE(BigInt(logSize))
  const body = Buffer.concat([header, ...entries.sort(Buffer.compare)])
  writeFileSync(`${file}.new`, Buffer.concat([body, sha256(body)]), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readPairs(folder: string, number: number): Map<string, number[]> {
  const pairs = new Map<string, number[]>()
  const scan = scanSegment(readSegment(folder, number), null, ({ content }, offset) => {
    for (const key of new Set(keysOf(content))) pairs.set(key, [...(pairs.get(key) ?? []), offset])
  })
  const next = readLine(readText(segmentFile(folder, number + 1), 0))
  // A damaged segment is refused: lines after the damage could not be found, so the fences would not see them. The same
  // holds for lines that are missing at its end: the next segment must continue from its last line.
  if (scan.rest !== 'none' || next?.prev !== scan.last?.hash) throw damagedAt(folder, number, scan.lines + 1)
  return pairs
}

function isWhole(file: string, logSize: number): boolean {
  if (!existsSync(file)) return false
  const bytes = readFileSync(file)
  if (bytes.length < HEADER_BYTES + SUM_BYTES) return false
  const body = bytes.subarray(0, -SUM_BYTES)
  return Number(body.readBigUInt64BE()) === logSize && sha256(body).equals(bytes.subarray(-SUM_BYTES))
}

function digest(key: string): Buffer {
  return sha256(key).subarray(0, HASH_BYTES)
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
