-- Withdrawals: the operator moves own money from the treasury to an address that two people have listed.

create table withdrawal_address (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  address text not null,
  -- What the address is, such as "cold wallet".
  note text not null,
  added_by text not null,
  added_at timestamptz not null,
  removed_by text,
  removed_at timestamptz,
  check ((removed_by is null) = (removed_at is null)),
  -- For the foreign key of payouts.
  unique (id, network, address)
);
create unique index withdrawal_address_listed on withdrawal_address (network, address) where removed_at is null;

-- Other changes extend the same lists of words, and may run before this one. So each list is extended and not written again.
do $$
declare
  extended record;
  found text;
begin
  for extended in select * from (values
    ('payout', 'payout_kind_check', '''withdrawal''::text'),
    ('payout', 'payout_has_swap', '''withdrawal''::text'),
    ('recorded_payout', 'recorded_payout_kind_check', '''withdrawal''::text'),
    ('ledger_entry', 'ledger_entry_reason_check', '''withdrawal promised''::text, ''withdrawal taken back''::text')
  ) as list (of_table, name, words) loop
    select pg_get_constraintdef(oid) into strict found from pg_constraint
      where conrelid = extended.of_table::regclass and conname = extended.name;
    if found !~ 'ARRAY\[' then raise exception 'the constraint % is not a list of words', extended.name; end if;
    execute format('alter table %I drop constraint %I', extended.of_table, extended.name);
    execute format('alter table %I add constraint %I %s', extended.of_table, extended.name,
      replace(found, 'ARRAY[', 'ARRAY[' || extended.words || ', '));
  end loop;
end $$;

-- A withdrawal pays an address of the list, and nothing else does so under this name.
alter table payout add withdrawal_id uuid;
alter table payout add constraint payout_withdrawal check ((kind = 'withdrawal') = (withdrawal_id is not null));
alter table payout add constraint payout_withdrawal_address
  foreign key (withdrawal_id, network, to_address) references withdrawal_address (id, network, address);
create index payout_withdrawal_newest on payout (withdrawal_id, created_at) where kind = 'withdrawal';
