/**
 * The guards of the money, and how to take one away: by changing a statement on its way to the database, a constraint in
 * it, or what an adapter answers. Nothing of this is in the server; tests prove with it that each guard is needed.
 */
import type { ChainAdapter, Family } from '@causeway/core'

export interface Guards {
  /** Run once in the fresh database. */
  sql: readonly string[]
  rewrite(statement: string): string
  family(family: Family): Family
}

export const ALL_GUARDS: Guards = {
  sql: [],
  rewrite: (statement) => statement,
  family: (family) => family,
}

/** All but those that these take away. */
export function without(...missing: readonly Partial<Guards>[]): Guards {
  return {
    sql: missing.flatMap(({ sql }) => sql ?? []),
    rewrite: (statement) => missing.reduce((text, { rewrite }) => rewrite?.(text) ?? text, statement),
    family: (family) => missing.reduce((whole, { family: change }) => change?.(whole) ?? whole, family),
  }
}

/** Every sighting is a deposit of its own. */
export const depositIdentity: Partial<Guards> = {
  sql: ['alter table deposit drop constraint deposit_network_tx_hash_index_key'],
  rewrite: (statement) => statement.replace(' on conflict ("network", "tx_hash", "index") do nothing', ''),
}

/** One live slot for a payout: the index that refuses a second one. */
export const oneLiveSlot: Partial<Guards> = { sql: ['drop index slot_payout_live'] }

/** Whoever was paused still counts as the holder of the account: the number never moves on. */
export const fencing: Partial<Guards> = {
  rewrite: (statement) =>
    statement.replace('"fence" = "signing_account"."fence" + ', '"fence" = "signing_account"."fence" + 0 * '),
}

/** After a crash a payout is taken up as if nothing had been signed for it: a new slot, a new signature. */
export const storedBytes: Partial<Guards> = {
  rewrite: (statement) =>
    statement.includes('"slot_payout"."live" = ') && statement.includes('"slot_payout"."payout_id" = ')
      ? `${statement} limit 0`
      : statement,
}

/** Silence is taken as proof that nothing can land any more. */
export const slotReuse: Partial<Guards> = {
  family: wrap((adapter) => ({
    ...adapter,
    async status(transfer) {
      const found = await adapter.status(transfer)
      return found.state === 'unknown' ? { state: 'dead' } : found
    },
  })),
}

/** A deposit that was seen once is taken as deep enough and still there. */
export const confirmationReading: Partial<Guards> = {
  family: wrap((adapter) => {
    const remembered = new Map<string, Awaited<ReturnType<ChainAdapter['inspect']>>>()
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

function wrap(change: (adapter: ChainAdapter) => ChainAdapter): (family: Family) => Family {
  return (family) => ({ ...family, open: async (options) => change(await family.open(options)) })
}
