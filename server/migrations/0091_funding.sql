-- The operator's own funding: a deposit without a swap that is capital, declared afterwards or announced before.

create table funding_announcement (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- The sender; null if any sender counts.
  from_address text,
  announced_by text not null,
  announced_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > announced_at),
  cancelled_at timestamptz,
  -- The deposit that was booked for it: one for each announcement, and one announcement for each deposit.
  deposit_id uuid unique references deposit,
  check (cancelled_at is null or deposit_id is null)
);
create index funding_announcement_open on funding_announcement (network, token) where deposit_id is null and cancelled_at is null;

-- Other changes extend the same lists of words, and may run before this one. So each list is extended and not written again.
do $$
declare
  extended record;
  found text;
begin
  for extended in select * from (values
    ('deposit', 'deposit_resolution_check', '''capital''::text'),
    ('ledger_entry', 'ledger_entry_reason_check', '''funding''::text')
  ) as list (of_table, name, words) loop
    select pg_get_constraintdef(oid) into strict found from pg_constraint
      where conrelid = extended.of_table::regclass and conname = extended.name;
    if found !~ 'ARRAY\[' then raise exception 'the constraint % is not a list of words', extended.name; end if;
    execute format('alter table %I drop constraint %I', extended.of_table, extended.name);
    execute format('alter table %I add constraint %I %s', extended.of_table, extended.name,
      replace(found, 'ARRAY[', 'ARRAY[' || extended.words || ', '));
  end loop;
end $$;
