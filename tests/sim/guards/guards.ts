/**
 * The guards of the money, and how to remove one: by changing a statement on its way to the database, a constraint, or
 * an adapter's answer. Each constant has the name of a guard and removes it (`without`). None of this is in the server;
 * tests prove with it that each guard is needed.
 */
import type { ChainAdapter, Family, Inspection, Network, TxHash } from '@causeway/core'
import type { Screener } from '../../../server/src/screening/screener.ts'

export interface Guards {
  /** Run once in the fresh database. */
  sql: readonly string[]
  rewrite(statement: string): string
  family(family: Family): Family
  screener(screener: Screener): Screener
}

export const ALL_GUARDS: Guards = {
  sql: [],
  rewrite: (statement) => statement,
  family: (family) => family,
  screener: (screener) => screener,
}

/** The guards without the removed ones. */
export function without(...missing: readonly Partial<Guards>[]): Guards {
  return {
    sql: missing.flatMap(({ sql }) => sql ?? []),
    rewrite: (statement) => missing.reduce((text, { rewrite }) => rewrite?.(text) ?? text, statement),
    family: (family) => missing.reduce((whole, { family: change }) => change?.(whole) ?? whole, family),
    screener: (screener) => missing.reduce((whole, { screener: change }) => change?.(whole) ?? whole, screener),
  }
}

/** Every sighting becomes a deposit of its own. */
export const depositIdentity: Partial<Guards> = {
  sql: ['drop index deposit_place'],
  rewrite: (statement) =>
    statement.includes('from "deposit"') && statement.includes('"replaced" = ') && statement.includes('"tx_hash" = ')
      ? `${statement} limit 0`
      : statement,
}

/** One live slot for a payout: the index that refuses a second one. */
export const oneLiveSlot: Partial<Guards> = { sql: ['drop index slot_payout_live'] }

/** A paused process still counts as the holder of the account: the fencing token never advances. */
export const fencing: Partial<Guards> = {
  rewrite: (statement) =>
    statement.replace('"fence" = "signing_account"."fence" + ', '"fence" = "signing_account"."fence" + 0 * '),
}

/** After a crash a payout is restarted as if nothing had been signed: a new slot and a new signature. */
export const storedBytes: Partial<Guards> = {
  rewrite: (statement) =>
    statement.includes('"slot_payout"."live" = ') && statement.includes('"slot_payout"."payout_id" = $')
      ? `${statement} limit 0`
      : statement,
}

/** A swap is decided as if nothing had been decided yet: its orders and spent deposits are not read. */
export const ownRecord: Partial<Guards> = {
  rewrite: (statement) =>
    statement
      .replace(
        /^select \* from "swap" where "id" = \$1 for update$/,
        `select (jsonb_populate_record(swap, '{"status": "user_transfer_pending"}')).* from swap where id = $1 for update`,
      )
      .replace(
        /^select \* from "deposit" where "swap_id" = \$1 order by "seen_at"$/,
        `select (jsonb_populate_record(deposit, '{"output_units": 0, "refund_units": 0}')).* from deposit
         where swap_id = $1 order by seen_at`,
      )
      .replace(/^select \* from "payout" where "swap_id" = \$1 order by "number"$/, '$& limit 0'),
}

/** At most one payout per kind. */
export const onePayout: Partial<Guards> = {
  sql: ['payout_output', 'payout_refuel', 'payout_refund', 'payout_swap'].map((name) => `drop index ${name}`),
}

/** Output and refund refer to the one settlement of their swap. */
export const oneSettlement: Partial<Guards> = {
  sql: ['alter table payout drop constraint payout_swap_id_settlement_fkey'],
}

/** Switches and limits are not checked. */
export const switches: Partial<Guards> = { rewrite: (statement) => emptied(statement, 'select * from "switch"') }
export const limits: Partial<Guards> = { rewrite: (statement) => emptied(statement, 'select * from "safety_limit"') }

/** The deny list is empty. */
export const screening: Partial<Guards> = { screener: (screener) => ({ ...screener, screen: async () => null }) }

/** Without this guard a transaction that no node knows counts as dead, and its slot is used again. */
export const noSlotReuse: Partial<Guards> = {
  family: wrap((adapter) => ({
    ...adapter,
    async status(transfer, signedBefore) {
      const found = await adapter.status(transfer, signedBefore)
      const evidence = { usedBy: null, block: { number: 0n, hash: '' }, reason: 'nobody knows it' }
      return found.state === 'unknown' ? { state: 'dead', evidence } : found
    },
  })),
}

/** Inspections on a network of a run, shared by all its processes. */
const seenOn = new WeakMap<Network, Map<TxHash, Inspection>>()

/** A deposit that was seen once counts as deep enough and still there. */
export const depositInspection: Partial<Guards> = {
  family: wrap((adapter) => {
    const remembered = seenOn.get(adapter.network) ?? new Map<TxHash, Inspection>()
    seenOn.set(adapter.network, remembered)
    return {
      ...adapter,
      async scan(cursor, ours) {
        const scan = await adapter.scan(cursor, ours)
        for (const { txHash, block } of scan.sightings) {
          const sightings = scan.sightings.filter((other) => other.txHash === txHash)
          if (block) remembered.set(txHash, { state: 'included', block, confirmations: 1_000, sightings })
        }
        return scan
      },
      inspect: async (txHash, ours) => remembered.get(txHash) ?? adapter.inspect(txHash, ours),
    }
  }),
}

function emptied(statement: string, beginning: string): string {
  return statement.startsWith(beginning) ? `${statement} limit 0` : statement
}

function wrap(change: (adapter: ChainAdapter) => ChainAdapter): (family: Family) => Family {
  return (family) => ({ ...family, open: async (options) => change(await family.open(options)) })
}
