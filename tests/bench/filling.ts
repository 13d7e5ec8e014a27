/** Fills a database with many swaps like one that went its whole way: rows are copied by the set, with names of their own. */
import type pg from 'pg'

/** Seconds between two copies: a few hundred fall into the last hour, however many there are. */
const APART_SECONDS = 10

/** Copies of a completed swap with its deposit, payout, slot, attempt, history and postings, until there are so many. */
export async function fillHistory(pool: pg.Pool, swapId: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from swap')
  const missing = count - Number(rows[0]?.n ?? 0)
  if (missing <= 0) return
  await pool.query(`create unlogged table copy as select n, gen_random_uuid() as swap_id, gen_random_uuid() as deposit_id,
    gen_random_uuid() as payout_id, nextval(pg_get_serial_sequence('slot', 'id')) as slot_id,
    now() - n * interval '${APART_SECONDS} seconds' as at from generate_series(1, ${missing}) n`)
  const one = `= '${swapId}'`
  const payout = `(select id from payout where swap_id ${one} limit 1)`
  const slot = `(select slot_id from slot_payout where payout_id = ${payout} and live limit 1)`
  const fresh = 'md5(copy.n::text || random()::text)'
  const times = { created_at: 'copy.at' }
  await copy(pool, 'swap', `id ${one}`, {
    id: 'copy.swap_id',
    destination_address: fresh,
    ...times,
    closed_at: 'copy.at',
  })
  await copy(pool, 'deposit', `swap_id ${one}`, {
    ...{ id: 'copy.deposit_id', swap_id: 'copy.swap_id', tx_hash: fresh, block_number: '1', final: 'true' },
    ...{ seen_at: 'copy.at', confirmed_at: 'copy.at' },
  })
  await copy(pool, 'payout', `swap_id ${one}`, {
    ...{ id: 'copy.payout_id', swap_id: 'copy.swap_id', tx_hash: fresh, to_address: fresh, block_number: '1' },
    ...{ ...times, sent_at: 'copy.at', confirmed_at: 'copy.at' },
  })
  const parts = 'array[(1000000 + copy.slot_id)::text]'
  await copy(pool, 'slot', `id = ${slot}`, { id: 'copy.slot_id', parts, ...times })
  await copy(pool, 'slot_part', `slot_id = ${slot}`, {
    part: '(1000000 + copy.slot_id)::text',
    slot_id: 'copy.slot_id',
  })
  await copy(pool, 'slot_payout', `slot_id = ${slot}`, { slot_id: 'copy.slot_id', payout_id: 'copy.payout_id' })
  await copy(pool, 'attempt', `slot_id = ${slot}`, {
    slot_id: 'copy.slot_id',
    hash: fresh,
    ...times,
    sent_at: 'copy.at',
  })
  await copy(pool, 'swap_event', `swap_id ${one}`, { id: null, swap_id: 'copy.swap_id', at: 'copy.at' })
  await copy(pool, 'ledger_entry', `swap_id ${one}`, {
    ...{ id: null, swap_id: 'copy.swap_id', posting: 'md5(copy.n::text || template.posting::text)::uuid' },
    ...{ owner: `case when template.owner ${one} then copy.swap_id::text else template.owner end` },
    ...{ block_number: 'null', folded: 'false', at: 'copy.at' },
  })
  await pool.query('drop table copy')
  await pool.query('analyze')
}

/** What lies about: payouts that are held, dust on deposit addresses, deposits that vanished after they were spent. */
export async function fillTrouble(pool: pg.Pool, swapId: string, count: number): Promise<void> {
  await pool.query(`create unlogged table copy as select n, gen_random_uuid() as swap_id, gen_random_uuid() as id,
    now() - interval '1 day' as at from generate_series(1, ${count}) n`)
  const one = `= '${swapId}'`
  const fresh = 'md5(copy.n::text || random()::text)'
  await copy(pool, 'swap', `id ${one}`, {
    ...{ id: 'copy.swap_id', destination_address: fresh, created_at: 'copy.at', status: "'ls_transfer_pending'" },
    ...{ closed_at: 'null' },
  })
  await copy(pool, 'payout', `swap_id ${one}`, {
    ...{ id: 'copy.id', swap_id: 'copy.swap_id', tx_hash: 'null', block_number: 'null', state: "'open'" },
    ...{ started: 'false', held_since: 'copy.at', held_by: "'rule'", held_reason: "'it waits for an approval'" },
    ...{ created_at: 'copy.at', sent_at: 'null', confirmed_at: 'null', to_address: fresh },
  })
  await pool.query(`insert into deposit_address (network, index, address, purpose)
    select 'ALPHA', 100000 + n, 'dust' || n, 'dust' || n from copy`)
  await copy(pool, 'deposit', `swap_id ${one}`, {
    ...{ id: 'gen_random_uuid()', swap_id: 'null', tx_hash: fresh, to_address: "'dust' || copy.n", units: '1' },
    ...{ output_units: '0', refund_units: '0', block_number: '1', final: 'true', resolution: "'ignored'" },
  })
  await pool.query(`insert into ledger_entry (posting, reason, account, owner, network, token, units)
    select copy.id, 'deposit', side.account, side.owner, 'ALPHA', deposit.token, side.units
    from copy, (select token from deposit where swap_id ${one} limit 1) deposit,
      lateral (values ('wallet', 'dust' || copy.n, 1), ('unmatched', 'house', -1)) side (account, owner, units)`)
  await copy(pool, 'deposit', `swap_id ${one}`, {
    ...{ id: 'gen_random_uuid()', swap_id: 'copy.swap_id', tx_hash: fresh, state: "'lost'", block_number: '1' },
    ...{ final: 'false' },
  })
  await pool.query('drop table copy')
  await pool.query('analyze')
}

/** A row of a table for each line of `copy`, as the template but for what is named; null leaves a column to its default. */
async function copy(
  pool: pg.Pool,
  table: string,
  where: string,
  instead: Record<string, string | null>,
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1
     and is_generated = 'NEVER' and not (table_name = 'swap' and column_name = 'sequence')`,
    [table],
  )
  const names = rows.map(({ name }) => name).filter((name) => instead[name] !== null)
  const values = names.map((name) => instead[name] ?? `template."${name}"`)
  await pool.query(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) overriding system value
     select ${values.join(', ')} from copy, (select * from ${table} where ${where}) template`,
  )
}
