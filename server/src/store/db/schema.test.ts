/** A column that holds one of a fixed set of words: its check constraint and its union type list the same words. */
import type { Account, Status } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from './database.ts'
import type { Schema } from './schema.ts'

/** The compiler requires each word of the union here, and no other. */
type Words = {
  [T in keyof Schema]?: {
    [C in keyof Selectable<Schema[T]>]?: Record<Extract<Selectable<Schema[T]>[C], string>, true>
  }
}

const STATUS: Record<Status, true> = {
  ...{ user_transfer_pending: true, ls_transfer_pending: true, refund_pending: true, pending_refund: true },
  ...{ completed: true, failed: true, expired: true, refunded: true },
}
const ACCOUNT: Record<Account, true> = {
  ...{ wallet: true, customer: true, promised: true, exchange: true, fees: true, network_fees: true, rewards: true },
  ...{ unmatched: true, restored: true, loss: true, capital: true },
}
const WORDS = {
  network_check: { state: { up: true, behind: true, down: true, unknown: true } },
  swap: {
    status: STATUS,
    settlement: { output: true, refund: true },
    fail_reason: {
      ...{ received_less_than_valid_range: true, received_more_than_valid_range: true, swap_route_unavailable: true },
      ...{ degraded_quote: true, insufficient_liquidity: true, payout_rejected: true, deposit_lost: true },
    },
  },
  swap_event: {
    status: STATUS,
    type: {
      ...{ deposit_seen: true, deposit_confirmed: true, deposit_gone: true, payout_confirmed: true },
      ...{ payout_undone: true, payout_abandoned: true, payout_recorded: true, tick: true, refund_address_given: true },
      ...{ proceeds_corrected: true },
    },
  },
  webhook_delivery: { status: STATUS },
  deposit: {
    state: { seen: true, confirmed: true, gone: true, lost: true },
    resolution: { assigned: true, refunded: true, ignored: true, recorded: true, capital: true },
  },
  deposit_observation: { by: { hint: true, scan: true, inspection: true }, kind: { seen: true, absent: true } },
  deposit_block: { state: { canonical: true, orphaned: true, unverified: true } },
  deposit_look: {
    class: { credit: true, reverify: true, mempool: true, orphaned: true, lost: true, unlocatable: true },
  },
  payout: {
    kind: {
      ...{ output: true, refuel: true, refund: true, return: true, sweep: true, relay: true, admin: true },
      ...{ reward: true, withdrawal: true, sale: true, recorded: true },
    },
    state: { open: true, confirmed: true, abandoned: true },
    held_by: { rule: true, trouble: true, undone: true },
  },
  hold: {
    code: {
      ...{ unknown_outflow: true, unknown_pending: true, wallet_halted: true, shortfall: true },
      ...{ shortfall_cleared: true, operator: true, paused: true, outflow_limit: true, no_price: true },
      ...{ approval_needed: true, screened: true, deposit_reverifying: true, deposit_lost: true },
      ...{ deposit_unlocatable: true, reward_unearned: true, recipient_cap: true, restore_doubt: true },
      ...{ payout_reorged: true, signer_refused: true, fee_above_limit: true, trouble: true },
      ...{ signing_stopped: true, excess_proceeds: true },
    },
  },
  decision: {
    answer: { approve: true, reject: true, pay_again: true, was_paid: true, release: true, cancel: true },
  },
  slot: { state: { open: true, landed: true, dead: true } },
  journal: { state: { running: true, rolled_back: true, journal_behind: true, without_journal: true } },
  recorded_payout: {
    kind: {
      ...{ output: true, refuel: true, refund: true, return: true, sweep: true, relay: true, admin: true },
      ...{ reward: true, withdrawal: true, sale: true, cancel: true },
    },
  },
  gasless_authorization: {
    status: { initiated: true, completed: true, expired: true, insufficient: true, rejected: true },
  },
  ledger_entry: {
    account: ACCOUNT,
    reason: {
      ...{ deposit: true, assigned: true, 'output promised': true, 'refuel promised': true, 'refund promised': true },
      ...{
        'reward promised': true,
        'withdrawal promised': true,
        funding: true,
        'unmatched returned': true,
        'remainder kept': true,
        payout: true,
      },
      ...{ 'network fee': true, sweep: true, capital: true, 'difference accepted': true, unannounced: true },
      ...{ restored: true, 'restored payout': true, 'deposit lost': true, 'output taken back': true },
      ...{
        'refuel taken back': true,
        'refund taken back': true,
        'reward taken back': true,
        'withdrawal taken back': true,
      },
      ...{ 'return taken back': true, 'remainder gone': true, 'payout undone': true, 'sweep undone': true },
      ...{
        'recognised by mistake': true,
        recorded: true,
        'recorded taken back': true,
        'deposit gone': true,
        'lost deposit found': true,
        'loss averted': true,
      },
      ...{ 'sale promised': true, sale: true, 'sale covered': true, 'sale taken back': true, 'sale undone': true },
    },
  },
  ledger_balance: { account: ACCOUNT },
  public_key: { curve: { secp256k1: true, ed25519: true, stark: true } },
  api_key: { environment: { mainnet: true, testnet: true }, kind: { public: true, secret: true } },
  operator: { role: { viewer: true, support: true, operator: true, admin: true } },
  switch: { code: { operator: true, unknown_outflow: true, restored: true } },
  request: { outcome: { confirmed: true, refused: true } },
  safety_limit: {
    kind: {
      ...{ swap_max: true, hourly_outflow: true, daily_outflow: true, wallet_ceiling: true, wallet_floor: true },
      ...{ approval_above: true },
    },
  },
} satisfies Words

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
})
afterAll(async () => {
  await database.destroy()
  await own.stop()
})

test('each list of words in a check constraint is the union type of its column, and vice versa', async () => {
  const { rows } = await sql<{ column: string; definition: string }>`
    select conrelid::regclass || '.' || attname as column, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'c' and connamespace = 'public'::regnamespace and cardinality(conkey) = 1`.execute(database)
  const listed = rows.flatMap(({ column, definition }) => {
    const [, list] = /^CHECK \(\(\w+ = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(definition) ?? []
    return list === undefined ? [] : [[column, list.match(/(?<=')[^']+(?='::text)/g)?.toSorted()] as const]
  })
  const typed = Object.entries(WORDS).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, words]) => [`${table}.${column}`, Object.keys(words).toSorted()] as const),
  )
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(typed))
})
