/** Swaps over simulated chains that are settled for good, an operator a year later, and what must never change. */
import type { CommandContext } from '../../../server/src/admin/context/command-context.ts'
import { createApi } from '../../../server/src/api/server.ts'
import { type Database, openPool } from '../../../server/src/store/db/database.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import { type Hand, startHand } from '../service/manual-driver.ts'
import { startDatabase, type TestDatabase } from './database.ts'

export const [FROM, TO] = ['ALPHA', 'BETA'] as const
/** More blocks than any deposit or payout waits for. */
export const FINAL = 10
const YEAR_MS = 365 * 24 * 3_600_000

export interface YearLater {
  database: TestDatabase
  hand: Hand
  db: Database
  desk(more?: Partial<CommandContext>, on?: Hand): CommandContext
  /** Half a year later. */
  before(): Date
  mine(network: string, on?: Hand): Promise<void>
  /** A swap that is paid, with everything final. */
  settled(options?: Parameters<Hand['swap']>[2]): Promise<CreatedSwap>
  read(swap: CreatedSwap): Promise<Awaited<ReturnType<typeof readRow>>>
  received(swap: CreatedSwap): bigint
  /** What `GET /swaps/{id}` answers. */
  get(swap: CreatedSwap): Promise<{ status: number; text: string }>
  stop(): Promise<void>
}

export async function openYearLater(): Promise<YearLater> {
  const database = await startDatabase()
  const hand = await startHand(database.url)
  // The check that halts a wallet after an unknown transaction has tests of its own.
  for (const chain of hand.services.chains.values()) Object.assign(chain, { audit: undefined })
  const later: YearLater = {
    database,
    hand,
    db: hand.services.database,
    desk(more = {}, on = hand) {
      const now = () => new Date(on.services.now().getTime() + YEAR_MS)
      const settings = () => on.services.config
      return { database: on.services.database, actor: 'tester', now, settings, print: () => undefined, ...more }
    },
    before: () => new Date(hand.services.now().getTime() + YEAR_MS / 2),
    async mine(network, on = hand) {
      on.chain(network).mine(FINAL)
      await on.watch(network)
    },
    async settled(options = {}) {
      const swap = await hand.swap(FROM, TO, options)
      hand.deposit(swap)
      await later.mine(FROM)
      await hand.runJobs()
      for (const network of [TO, TO, FROM]) await later.mine(network)
      const row = await later.read(swap)
      if (row?.status !== 'completed') throw new Error(`the swap is ${row?.status}`)
      return swap
    },
    read: (swap) => readRow(hand, swap),
    received: ({ view: { swap } }) => hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract),
    async get({ view }) {
      const api = await createApi(hand.services)
      const answer = await api.inject(`/api/v2/swaps/${view.swap.id}`)
      await api.close()
      return { status: answer.statusCode, text: answer.body }
    },
    async stop() {
      await hand.stop()
      await database.stop()
    },
  }
  return later
}

function readRow({ services }: Hand, { view }: CreatedSwap) {
  return services.database.selectFrom('swap').selectAll().where('id', '=', view.swap.id).executeTakeFirst()
}

/** The books, and what keeps money from moving twice, as one text. */
export async function fencesOf(url: string): Promise<string> {
  const pool = openPool(url, 1)
  try {
    const { rows } = await pool.query<{ text: string }>(FENCES)
    return rows.map(({ text }) => text).join()
  } finally {
    await pool.end()
  }
}

const FENCES = `
    select (select md5(string_agg(e::text, '' order by id)) from ledger_entry e) as text union all
    select (select md5(string_agg(concat(account, network, token, owner, units), '' order by account, network, token, owner))
      from (select account, network, token, owner, sum(units) as units from ledger_entry group by 1, 2, 3, 4) b) union all
    select (select md5(string_agg(concat(id, network, tx_hash, index, units, state, output_units, refund_units), '' order by id)) from deposit) union all
    select (select md5(string_agg(concat(id, swap_id, kind, units, state, settlement, tx_hash), '' order by id)) from payout) union all
    select (select md5(string_agg(s::text, '' order by id)) from slot s) union all
    select (select md5(string_agg(a::text, '' order by slot_id, number)) from attempt a) union all
    select (select md5(string_agg(concat(reference, settlement, status), '' order by reference)) from swap where settlement is not null)
`
