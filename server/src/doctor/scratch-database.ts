/** A scratch database for the drill: made on the database's own server, filled by pg_restore, and dropped at the end. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
/** Only a database with this beginning of its name is ever dropped. */
const PREFIX = 'causeway_drill_'
/** Where PostgreSQL's programs are on common systems. The rest of the environment is not passed on: it holds secrets. */
const SEARCHED = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface Scratch {
  url: string
  drop(): Promise<void>
}

/** `server`: any database on the server, by a role that may create databases. */
export async function restoreToScratch(server: string, file: string): Promise<Scratch> {
  const name = `${PREFIX}${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  // The password is not an argument: other users of the machine could read it.
  const shown = new URL(url)
  shown.password = ''
  const env = { ...(url.password ? { PGPASSWORD: decodeURIComponent(url.password) } : {}) }
  const drop = () => onServer(server, `drop database if exists ${name} with (force)`)
  try {
    await run('pg_restore', ['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${shown.href}`, file], {
      env: { ...env, PATH: SEARCHED },
    })
    return { url: url.href, drop }
  } catch (error) {
    await drop()
    throw error
  }
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
