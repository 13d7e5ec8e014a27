/**
 * A database that can be backed up and restored as an operator does it: PostgreSQL as Debian installs it, with its own
 * pg_dump and pg_restore. Where that is not installed, a copy of the database stands in for the dump.
 */
import { execFile } from 'node:child_process'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../../devnet/src/postgres.ts'
import { addSchema } from '../database/database.ts'

const run = promisify(execFile)
const DEBIAN = '/usr/lib/postgresql'

export interface BackedUp {
  /** Which programs do it, for whoever reads the output. */
  by: string
  url: string
  /** What is in a database now, to be given to `restore`. */
  backup(url: string): Promise<Backup>
  /** A database as it was then; its address. */
  restore(backup: Backup): Promise<string>
  stop(): Promise<void>
}

type Backup = string

export async function startBackedUp(): Promise<BackedUp> {
  const programs = await debianPrograms()
  const postgres = await startPostgres(programs ? { programs } : {})
  const { createDatabase, stop } = postgres
  const url = await createDatabase()
  await addSchema(url)
  if (!programs) {
    const copy = (of: string) => copyOf(url, of)
    return { by: 'a copy of the database', url, backup: copy, restore: copy, stop }
  }
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
      const fresh = await createDatabase()
      await run(path.join(programs, 'bin/pg_restore'), ['--exit-on-error', `--dbname=${fresh}`, file])
      return fresh
    },
    async stop() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The newest that is there with all its programs. */
async function debianPrograms(): Promise<string | null> {
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

/** PostgreSQL copies only what nobody is connected to: connections are closed, and come back by themselves. */
async function copyOf(anyUrl: string, of: string): Promise<string> {
  const name = new URL(of).pathname.slice(1)
  const copied = `${name.slice(0, 40)}_${Math.floor(performance.now())}`
  const admin = new URL(anyUrl)
  admin.pathname = '/postgres'
  const client = new pg.Client({ connectionString: `${admin}` })
  await client.connect()
  try {
    await client.query(`alter database ${name} with allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await client.query(`create database ${copied} template ${name}`)
    await client.query(`alter database ${name} with allow_connections true`)
  } finally {
    await client.end()
  }
  const address = new URL(of)
  address.pathname = `/${copied}`
  return `${address}`
}
