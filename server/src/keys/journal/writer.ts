/**
 * Appends lines to the journal and to its copy. All waiting lines are written and synced together; each caller
 * continues only when its line is on both disks. After one failure nothing more is written, because the content of the
 * disks is unknown.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { segmentFile } from './segment.ts'

export interface Writer {
  /** Whether a line could not be written. Nothing is signed until a restart. */
  isBroken(): boolean
  /** Resolves when the line is on disk. With `isLazy` the line is written now and synced with the next one. */
  append(text: string, isLazy?: boolean): Promise<void>
  /** Starts a new segment for the following lines. */
  begin(number: number): void
  close(): Promise<void>
}

/** Writing failed: nothing more is signed until a restart. */
class JournalBroken extends Error {
  override name = 'JournalBroken'
}

interface Waiting {
  text: string
  isLazy: boolean
  segment: number
  done(): void
  fail(error: unknown): void
}

interface Target {
  folder: string
  file: FileHandle
  size: number
}

export interface WriterOptions {
  /** The journal's folder, then the folder of its copy. */
  folders: readonly string[]
  segment: number
  onBroken(error: unknown): void
  /** Tests replace it to simulate a failing disk. */
  sync?: (file: FileHandle) => Promise<void>
}

export async function openWriter(options: WriterOptions): Promise<Writer> {
  const { folders, onBroken, sync = (file) => file.datasync() } = options
  let targets = await Promise.all(folders.map((folder) => openTarget(folder, options.segment)))
  let written = options.segment
  let wanted = options.segment
  let queue: Waiting[] = []
  let running: Promise<void> | null = null
  let broken: JournalBroken | null = null

  const write = async (texts: readonly string[], needsSync: boolean) => {
    const bytes = Buffer.from(texts.join(''))
    await Promise.all(
      targets.map(async (target) => {
        await requireSize(target)
        const { bytesWritten } = await target.file.write(bytes)
        if (bytesWritten !== bytes.length) throw new Error(`${target.folder}: a part of a line was not written`)
        target.size += bytes.length
        // Two processes that write at the same moment both pass the first check. Since lines are appended, the later one
        // fails this one.
        await requireSize(target)
        if (needsSync) await sync(target.file)
      }),
    )
  }
  const rotate = async (segment: number) => {
    for (const { file } of targets) {
      await sync(file)
      await file.close()
    }
    targets = await Promise.all(folders.map((folder) => openTarget(folder, segment)))
    written = segment
  }
  const drain = async () => {
    while (queue.length > 0) {
      const segment = queue[0]?.segment ?? written
      const batch = queue.filter((one) => one.segment === segment)
      queue = queue.slice(batch.length)
      try {
        if (broken) throw broken
        if (segment !== written) await rotate(segment)
        await write(
          batch.map(({ text }) => `${text}\n`),
          batch.some(({ isLazy }) => !isLazy),
        )
        for (const { done } of batch) done()
      } catch (error) {
        if (!broken) {
          broken = new JournalBroken('the journal could not be written: the process must be restarted', {
            cause: error,
          })
          onBroken(error)
        }
        for (const { fail } of batch) fail(broken)
      }
    }
    running = null
  }
  return {
    isBroken: () => broken !== null,
    append(text, isLazy = false) {
      return new Promise((done, fail) => {
        queue.push({ text, isLazy, segment: wanted, done, fail })
        running ??= drain()
      })
    },
    begin(number) {
      wanted = number
    },
    async close() {
      await running
      for (const { file } of targets) {
        if (!broken) await file.datasync()
        await file.close()
      }
    },
  }
}

/** Another writer would not know our fences, nor we its. */
async function requireSize({ folder, file, size }: Target): Promise<void> {
  if ((await file.stat()).size !== size) throw new Error(`${folder} was changed by another process`)
}

/** Appends, whatever another process has written meanwhile. */
const APPEND = constants.O_RDWR | constants.O_APPEND

async function openTarget(folder: string, number: number): Promise<Target> {
  const name = segmentFile(folder, number)
  const file = await open(name, APPEND).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    const made = await open(name, APPEND | constants.O_CREAT | constants.O_EXCL, 0o600)
    await syncFolder(folder)
    return made
  })
  return { folder, file, size: (await file.stat()).size }
}

/** After a power loss a new file exists only if its folder was synced, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync()
  await handle.close()
}
