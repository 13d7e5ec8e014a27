/** Records what PostgreSQL reads for each statement of a connection, from its actual execution plans. */
import { type Database, openDatabase, openPool } from '../../../server/src/store/db/database.ts'

/** What one statement read. */
interface Reading {
  statement: string
  /** Rows read from tables and indexes, including discarded ones. */
  rows: number
  /** The most expensive scan, for people. */
  worst: string
}

export interface WatchedDatabase {
  database: Database
  /** Reads since the last call. */
  readings(): Reading[]
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

export function watchDatabase(url: string): WatchedDatabase {
  const address = new URL(url)
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  address.searchParams.set('options', options.join(' '))
  const pool = openPool(address.href, 1)
  let readings: Reading[] = []
  pool.on('connect', (client) =>
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('plan:')
      if (start >= 0) readings.push(readingOf(JSON.parse(message.slice(start + 'plan:'.length))))
    }),
  )
  return {
    database: openDatabase(url, pool),
    readings() {
      const told = readings
      readings = []
      return told
    },
  }
}

function readingOf({ 'Query Text': statement, Plan: plan }: { 'Query Text': string; Plan: Plan }): Reading {
  const looks = looksOf(plan).sort((a, b) => b.rows - a.rows)
  return { statement, rows: looks.reduce((sum, { rows }) => sum + rows, 0), worst: looks[0]?.what ?? 'nothing' }
}

/** Scans of tables and indexes; the nodes above them read nothing themselves. */
function looksOf(plan: Plan): { rows: number; what: string }[] {
  const below = (plan.Plans ?? []).flatMap(looksOf)
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type } = plan
  if (!type.includes('Scan') || (table === undefined && index === undefined)) return below
  // The heap scan of a bitmap reads what its indexes found; these are counted separately.
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const rows = (plan['Actual Rows'] + removed) * plan['Actual Loops']
  return [{ rows: Math.round(rows), what: `${type} of ${[table, index].filter(Boolean).join(' by ')}` }, ...below]
}
