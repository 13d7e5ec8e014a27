/** The connections for API requests, apart from those of jobs and watchers. With a standby, it answers lists and polling. */
import type { PostgresPool } from 'kysely'
import { type Database, openDatabase, openPool } from '../db/database.ts'
import { createStandby, type StandbyOptions, standbyFirst } from './standby.ts'

export interface CallerPools {
  database: Database
  reading: Database
  polling: Database
  /** All of them, to be closed. */
  opened: Database[]
}

/** Two hundred deposits at once must not delay an API request. With 100 connections, PostgreSQL's default, two whole processes fit. */
const API_CONNECTIONS = 8
const LIST_CONNECTIONS = 3
/** API queries use indexes: one that takes longer than this is not worth its connection. */
export const API_STATEMENT_MS = 10_000
const LIST_STATEMENT_MS = 3_000

interface CallerPoolOptions extends StandbyOptions {
  onRead(server: 'standby' | 'primary'): void
}

export function openCallerPools(url: string, readUrl: string | undefined, options: CallerPoolOptions): CallerPools {
  const opened: Database[] = []
  const open = (pool: PostgresPool): Database => {
    const database = openDatabase(url, pool)
    opened.push(database)
    return database
  }
  const primary = openPool(url, API_CONNECTIONS, API_STATEMENT_MS)
  const lists = openPool(url, LIST_CONNECTIONS, LIST_STATEMENT_MS)
  const database = open(primary)
  const reading = open(lists)
  if (!readUrl) return { database, reading, polling: database, opened }
  const polled = openPool(readUrl, API_CONNECTIONS, API_STATEMENT_MS)
  const listed = openPool(readUrl, LIST_CONNECTIONS, LIST_STATEMENT_MS)
  const standby = createStandby(primary, polled, options)
  return {
    database,
    reading: open(standbyFirst(listed, lists, standby, options.onRead)),
    polling: open(standbyFirst(polled, primary, standby, options.onRead)),
    opened,
  }
}
