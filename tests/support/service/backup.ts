/**
 * A database that is backed up and restored as an operator does it: PostgreSQL as Debian installs it, with its own
 * pg_dump and pg_restore. If that is not installed, a copy of the database replaces the dump.
 */
import { execFile } from 'node:child_process'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startDatabase } from '../database/database.ts'

const run = promisify(execFile)
const DEBIAN = '/usr/lib/postgresql'

export interface BackedUp {
  /** The programs that make the backups. */
  by: string
  url: string
  /** Backs up a database as it is now. */
  backup(url: string): Promise<Backup>
  /** A new database with the contents of the backup; its URL. */
  restore(backup: Backup): Promise<string>
  stop(): Promise<void>
}

type Backup = string

export async function startBackedUp(): Promise<BackedUp> {
  const programs = await debianPrograms()
  const { url, createEmpty, copy, stop } = await startDatabase(undefined, programs ?? '')
  if (!programs) return { by: 'a copy of the database', url, backup: copy, restore: copy, stop }
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-backup-'))
  let taken = 0
  return {
    by: `pg_dump of ${programs}`,
    url,
    async backup(of) {
      const file = path.join(folder, `${++taken}.dump`)
      await run(path.join(programs, 'bin/pg_dump'), ['--format=custom', `--file=${file}`, of])
      return file
    },
    async restore(file) {
      const fresh = await createEmpty()
      await run(path.join(programs, 'bin/pg_restore'), ['--exit-on-error', `--dbname=${fresh}`, file])
      return fresh
    },
    async stop() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The newest version with all its programs. */
export async function debianPrograms(): Promise<string | null> {
  const versions = await readdir(DEBIAN).catch(() => [])
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) {
    const folder = path.join(DEBIAN, version)
    const needed = ['postgres', 'initdb', 'pg_dump', 'pg_restore'].map((name) => access(path.join(folder, 'bin', name)))
    const isWhole = await Promise.all(needed).then(
      () => true,
      () => false,
    )
    if (isWhole) return folder
  }
  return null
}
