/** Fills a database with copies of one completed swap: rows are copied in bulk, with ids of their own. */
import type pg from 'pg'

/**
 * A thousand copies fall into the last day and the rest before it, so that queries about the last hour or day see the
 * same.
 */
const APART_SECONDS = 86
/** Above this number, indexes are dropped and rebuilt afterwards. */
const MANY = 20_000

/** A reference that, with a chance of one in millions, another swap has. */
const REFERENCE = '1 + floor(random() * 9e15)::bigint'

const TABLES = [
  'swap',
  'deposit',
  'payout',
  'slot',
  'slot_part',
  'slot_payout',
  'attempt',
  'swap_event',
  'ledger_entry',
]

/** Copies a completed swap with its deposit, payout, slot, attempt, history and postings `count` times. */
export async function fillHistory(pool: pg.Pool, swapId: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from swap')
  const stored = Number(rows[0]?.n ?? 0)
  const missing = count - stored
  if (missing <= 0) return
  await unchecked(pool, missing > MANY ? TABLES : [], async (client) => {
    await client.query(`create unlogged table copy as select n, gen_random_uuid() as swap_id,
      gen_random_uuid() as deposit_id, gen_random_uuid() as payout_id,
      nextval(pg_get_serial_sequence('slot', 'id')) as slot_id,
      now() - n * interval '${APART_SECONDS} seconds' as at from generate_series(${count}, ${stored + 1}, -1) n`)
    await copySwaps(client, swapId)
    await client.query('drop table copy')
  })
}

async function copySwaps(client: pg.ClientBase, swapId: string): Promise<void> {
  const one = `= '${swapId}'`
  const payout = `(select id from payout where swap_id ${one} limit 1)`
  const slot = `(select slot_id from slot_payout where payout_id = ${payout} and live limit 1)`
  const times = { created_at: 'copy.at' }
  await copy(client, 'swap', `id ${one}`, {
    ...{ id: 'copy.swap_id', reference: REFERENCE, destination_address: fresh(1), ...times, closed_at: 'copy.at' },
  })
  await copy(client, 'deposit', `swap_id ${one}`, {
    ...{ id: 'copy.deposit_id', swap_id: 'copy.swap_id', tx_hash: fresh(2), block_number: '1', final: 'true' },
    ...{ seen_at: 'copy.at', confirmed_at: 'copy.at' },
  })
  await copy(client, 'payout', `swap_id ${one}`, {
    ...{ id: 'copy.payout_id', swap_id: 'copy.swap_id', tx_hash: fresh(3), to_address: fresh(1), block_number: '1' },
    ...{ ...times, started_at: 'copy.at', sent_at: 'copy.at', confirmed_at: 'copy.at' },
  })
  const part = '(1000000000 + copy.slot_id)::text'
  await copy(client, 'slot', `id = ${slot}`, {
    ...{ id: 'copy.slot_id', parts: `array[${part}]`, ...times, state: "'landed'" },
  })
  await copy(client, 'slot_part', `slot_id = ${slot}`, { part, slot_id: 'copy.slot_id' })
  await copy(client, 'slot_payout', `slot_id = ${slot}`, { slot_id: 'copy.slot_id', payout_id: 'copy.payout_id' })
  await copy(client, 'attempt', `slot_id = ${slot}`, {
    ...{ slot_id: 'copy.slot_id', hash: fresh(3), ...times, sent_at: 'copy.at', journal_n: 'null' },
  })
  await copy(client, 'swap_event', `swap_id ${one}`, { id: null, swap_id: 'copy.swap_id', at: 'copy.at' })
  // As if folded long ago.
  const owner = `case when template.owner ${one} then copy.swap_id::text else template.owner end`
  await client.query(`insert into ledger_balance as balance (account, network, token, owner, units)
    select account, network, token, ${owner}, sum(units) from copy, (select * from ledger_entry where swap_id ${one}) template
    group by 1, 2, 3, 4 having sum(units) <> 0
    on conflict (account, network, token, owner) do update set units = balance.units + excluded.units`)
  await copy(client, 'ledger_entry', `swap_id ${one}`, {
    ...{ id: null, swap_id: 'copy.swap_id', posting: 'md5(copy.n::text || template.posting::text)::uuid', owner },
    ...{ block_number: 'null', folded: 'true', at: 'copy.at' },
  })
}

/**
 * Adds problem rows: held payouts, dust on deposit addresses, deposits that vanished before or after they were spent;
 * `count` of each.
 */
export async function fillTrouble(pool: pg.Pool, swapId: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ n: string }>(
    "select count(*) as n from deposit_address where address like 'dust%'",
  )
  const first = Number(rows[0]?.n ?? 0) + 1
  await unchecked(pool, [], async (client) => {
    await client.query(`create unlogged table copy as select n, gen_random_uuid() as swap_id, gen_random_uuid() as id,
      now() - interval '1 day' as at from generate_series(${first}, ${count}) n`)
    await copyTrouble(client, swapId)
    await client.query('drop table copy')
  })
}

async function copyTrouble(client: pg.ClientBase, swapId: string): Promise<void> {
  const one = `= '${swapId}'`
  await copy(client, 'swap', `id ${one}`, {
    ...{ id: 'copy.swap_id', destination_address: fresh(4), created_at: 'copy.at', status: "'ls_transfer_pending'" },
    ...{ reference: REFERENCE, closed_at: 'null' },
  })
  await copy(client, 'payout', `swap_id ${one}`, {
    ...{ id: 'copy.id', swap_id: 'copy.swap_id', tx_hash: 'null', block_number: 'null', state: "'open'" },
    ...{
      started: 'false',
      started_at: 'null',
      held_since: 'copy.at',
      held_by: "'rule'",
    },
    ...{ created_at: 'copy.at', sent_at: 'null', confirmed_at: 'null' },
    ...{ to_address: fresh(4) },
  })
  await client.query(`insert into hold (payout_id, code, params, needs_person, opened_at, recheck_at)
    select id, 'approval_needed', '{}', true, at, now() + interval '1 day' from copy`)
  // The triggers were disabled.
  await client.query(`insert into reservation_change (network, token, units)
    select network, token, sum(units) from payout where id in (select id from copy) group by 1, 2`)
  // Given out long ago: no swap expects a deposit there now.
  await client.query(`insert into deposit_address (network, account, index, ordinal, address, purpose, created_at)
    select 'ALPHA', 'treasury', 100000 + n, n, 'dust' || n, 'dust' || n, copy.at - interval '1 year' from copy`)
  await copy(client, 'deposit', `swap_id ${one}`, {
    ...{ id: 'gen_random_uuid()', swap_id: 'null', tx_hash: fresh(5), to_address: "'dust' || copy.n", units: '1' },
    ...{ output_units: '0', refund_units: '0', block_number: '1', final: 'true' },
    // Half of them wait for a decision.
    resolution: "case when copy.n % 2 = 0 then 'ignored' end",
  })
  await client.query(`insert into ledger_entry (posting, reason, account, owner, network, token, units, folded)
    select copy.id, 'deposit', side.account, side.owner, 'ALPHA', deposit.token, side.units, true
    from copy, (select token from deposit where swap_id ${one} limit 1) deposit,
      lateral (values ('wallet', 'dust' || copy.n, 1), ('unmatched', 'house', -1)) side (account, owner, units)`)
  await client.query(`insert into ledger_balance as balance (account, network, token, owner, units)
    select account, network, token, owner, sum(units) from ledger_entry where posting in (select id from copy) group by 1, 2, 3, 4
    on conflict (account, network, token, owner) do update set units = balance.units + excluded.units`)
  for (const [state, number] of [
    ['lost', 6],
    ['gone', 7],
  ] as const) {
    await copy(client, 'deposit', `swap_id ${one}`, {
      ...{ id: 'gen_random_uuid()', swap_id: 'copy.swap_id', tx_hash: fresh(number), state: `'${state}'` },
      ...{ block_number: '1', final: 'false', ...(state === 'gone' ? { output_units: '0', refund_units: '0' } : {}) },
    })
  }
  // Lost deposits are inspected for ever, and keep their observations.
  await client.query(`insert into deposit_look (network, tx_hash, class, due, since)
    select network, tx_hash, 'lost', 0, 0 from deposit where state = 'lost' on conflict do nothing`)
  await client.query(`insert into deposit_observation (network, tx_hash, generation, head, by, kind, block_number, block_hash, at)
    select network, tx_hash, 0, 1, 'scan', 'seen', block_number, block_hash, seen_at from deposit where state = 'lost'`)
}

/** Unpaid swaps, newer than all others, to one recipient. */
export async function fillExpired(pool: pg.Pool, swapId: string, count: number): Promise<void> {
  await unchecked(pool, [], async (client) => {
    await client.query(`create unlogged table copy as select n, gen_random_uuid() as swap_id, now() as at
      from generate_series(1, ${count}) n`)
    await copy(client, 'swap', `id = '${swapId}'`, {
      ...{ id: 'copy.swap_id', reference: REFERENCE, created_at: 'copy.at', closed_at: 'copy.at' },
      ...{ status: "'expired'", settlement: 'null' },
    })
    await client.query('drop table copy')
  })
}

/** An id that only one copy has, always the same for the same number. */
function fresh(number: number): string {
  return `md5(copy.n::text || '${number}' || copy.at::text)`
}

/** Without foreign keys and triggers, which valid copies do not need, and without these tables' indexes. */
async function unchecked(
  pool: pg.Pool,
  tables: readonly string[],
  work: (client: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '1GB'")
    const { rows } = await client.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes
       where tablename = any($1) and indexname not in (select conname from pg_constraint)`,
      [tables],
    )
    for (const { name } of rows) await client.query(`drop index ${name}`)
    await work(client)
    for (const { definition } of rows) await client.query(definition)
    await client.query('reset session_replication_role')
  } finally {
    client.release()
  }
  await pool.query('vacuum analyze')
}

/** One row per line of `copy`, equal to the template except for the named columns; null means the column's default. */
async function copy(
  client: pg.ClientBase,
  table: string,
  where: string,
  instead: Record<string, string | null>,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1
     and is_generated = 'NEVER' and not (table_name = 'swap' and column_name = 'ordinal')`,
    [table],
  )
  const names = rows.map(({ name }) => name).filter((name) => instead[name] !== null)
  const values = names.map((name) => instead[name] ?? `template."${name}"`)
  await client.query(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) overriding system value
     select ${values.join(', ')} from copy, (select * from ${table} where ${where}) template order by copy.n desc`,
  )
}
