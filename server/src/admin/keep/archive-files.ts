/** Files of an archive: compressed CSV that `copy … csv header` of PostgreSQL reads. Each is on disk, and read back, before anything is deleted. */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

export interface ArchiveFile {
  file: string
  rows: number
  /** Of the compressed file. */
  sha256: string
}

export interface TableRows {
  columns: string[]
  rows: (string | null)[][]
}

/** Throws if the file exists, or if what was written does not read back as the same. */
export async function writeArchiveFile(folder: string, file: string, table: TableRows): Promise<ArchiveFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = csvOf(table)
  const place = path.join(folder, file)
  const handle = await open(place, 'wx', 0o600)
  try {
    await handle.writeFile(gzipSync(text))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(folder)
  const written = await readFile(place)
  if (gunzipSync(written).toString('utf8') !== text) throw new Error(`${place} does not read back as it was written`)
  return { file, rows: table.rows.length, sha256: createHash('sha256').update(written).digest('hex') }
}

/** A crash must not take the file's name away after its rows were deleted. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Null is nothing, and an empty text is quoted. */
function csvOf({ columns, rows }: TableRows): string {
  const cell = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')
}
