/**
 * The mark: a high-water mark with the newest counters of all writers and the journal's last line, in a file beside the
 * journal. It is written alternately to two checksummed halves, so a torn write leaves the other one. A stale mark only
 * detects less; it raises no false alarm.
 */
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { JournalDamaged } from './damaged.ts'
import { hashOf, Vector } from './line.ts'
import type { Head } from './segment.ts'

const SLOT_BYTES = 65_536
const SYNC_EVERY = 10

const Mark = z.object({
  seq: z.number().int(),
  vector: Vector,
  head: z.object({ n: z.number().int(), hash: z.string() }),
})
type Mark = z.infer<typeof Mark>

export interface MarkFile {
  /** The newer valid half; null if no mark was ever written. */
  read(): Promise<Mark | null>
  write(mark: Omit<Mark, 'seq'>): Promise<void>
  close(): Promise<void>
}

export async function openMark(folder: string): Promise<MarkFile> {
  const file = await openOrCreate(path.join(folder, 'mark'))
  let seq = 0
  const read = async () => {
    const slots = await Promise.all([readSlot(file, 0), readSlot(file, 1)])
    const newest = slots.reduce((a, b) => (b && (!a || b.seq > a.seq) ? b : a), null)
    seq = Math.max(seq, newest?.seq ?? 0)
    return newest
  }
  return {
    read,
    async write(mark) {
      seq++
      const text = JSON.stringify({ seq, ...mark })
      const bytes = Buffer.from(`${hashOf(text)} ${text}\n`)
      // A version vector that is too large for the file is not stored; the old mark stays and detects less.
      if (bytes.length > SLOT_BYTES) return
      await file.write(bytes, 0, bytes.length, (seq % 2) * SLOT_BYTES)
      if (seq % SYNC_EVERY === 0) await file.datasync()
    },
    close: () => file.close(),
  }
}

async function openOrCreate(name: string): Promise<FileHandle> {
  return open(name, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return open(name, 'wx+', 0o600)
  })
}

async function readSlot(file: FileHandle, slot: number): Promise<Mark | null> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SLOT_BYTES), 0, SLOT_BYTES, slot * SLOT_BYTES)
  const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
  const text = line.slice(65)
  if (line.slice(0, 64) !== hashOf(text)) return null
  const { data } = Mark.safeParse(JSON.parse(text))
  return data ?? null
}

/** Throws if the mark names a line that the journal lacks: then the journal's folder is an older copy of itself. */
export async function checkMarks(
  marks: readonly MarkFile[],
  head: Head,
  hashes: ReadonlyMap<number, string>,
): Promise<void> {
  for (const file of marks) {
    const mark = await file.read()
    if (!mark) continue
    const found = mark.head.n > head.n ? null : (hashes.get(mark.head.n) ?? mark.head.hash)
    if (found !== mark.head.hash) {
      throw new JournalDamaged(
        `the journal ends at line ${head.n}, and had line ${mark.head.n}: put the newest one back`,
      )
    }
  }
}
