/**
 * The journal of commits: triggers in the run's own database record every change of a row in the money path. The oracle
 * learns only from here and from the chains.
 */
/** Columns whose changes are recorded; inserts are always recorded. */
const WATCHED = {
  swap: ['status', 'fail_reason', 'refund_address', 'destination_address', 'quote'],
  deposit: [
    'state',
    'units',
    'seen_at',
    'output_units',
    'refund_units',
    'swap_id',
    'token',
    'to_address',
    'resolution',
    'refund_address',
  ],
  payout: ['state', 'started', 'units', 'to_address', 'token', 'rejected_at'],
  hold: ['payout_id'],
  decision: ['answer'],
  slot: ['state'],
  slot_payout: ['live'],
  attempt: ['hash', 'bytes'],
  ledger_entry: ['units'],
} as const
type Table = keyof typeof WATCHED

export interface Change {
  id: number
  transaction: string
  table: Table
  isNew: boolean
  /** Every column as text, so that no number loses a digit. */
  row: Record<string, string | null>
}

export const JOURNAL_SQL: readonly string[] = [
  `create unlogged table sim_journal (
     id bigint generated always as identity primary key, transaction text, "table" text, is_new boolean, row jsonb)`,
  `create function sim_note() returns trigger language plpgsql as $$ begin
     insert into public.sim_journal (transaction, "table", is_new, row) values (pg_current_xact_id()::text, tg_table_name,
       tg_op = 'INSERT', (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(new))));
     return null;
   end $$`,
  ...Object.entries(WATCHED).map(
    ([table, columns]) =>
      `create trigger sim_note after insert or update of ${columns.join(', ')} on ${table}
       for each row execute function sim_note()`,
  ),
]

/** Everything committed since the last call, by transaction. */
export function openJournal(world: {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
}): () => Promise<Change[][]> {
  let read = 0
  return async () => {
    const changes = await world.query<Change>(
      `select id::int, transaction, "table", is_new as "isNew", row from sim_journal where id > $1 order by id`,
      [read],
    )
    read = changes.at(-1)?.id ?? read
    return [...Map.groupBy(changes, ({ transaction }) => transaction).values()]
  }
}
