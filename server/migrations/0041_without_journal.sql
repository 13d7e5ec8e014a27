-- A restore without the signing journal, and the end of the older way, which inferred from the chain what may have been paid.

-- The journal is lost: swaps up to this ordinal, and deposits up to this block, may have been paid for before. Their payouts are held.
create table restore_barrier (
  network text primary key,
  -- Null if no node could be asked: every deposit of the network is before the barrier.
  block numeric(78, 0),
  -- The wallets were compared with the ledger up to here.
  from_block numeric(78, 0),
  ordinals_to bigint not null,
  at timestamptz not null
);

-- Transactions of our wallets that no payout explains and that an operator has accepted. The ledger has them as `restored`.
create table accepted_transaction (
  network text not null,
  account text not null,
  tx_hash text not null,
  at timestamptz not null,
  primary key (network, account, tx_hash)
);
insert into accepted_transaction (network, account, tx_hash, at)
  select distinct on (network, account, tx_hash) network, account, tx_hash, found_at from restored_movement;

-- Deposit addresses that a lost sweep emptied, per network, since the last restore. Some chains take the fee out of the swept amount: it is booked
-- from what is missing.
create table forgotten_sweep (
  network text primary key,
  emptied integer not null default 0 check (emptied >= 0)
);
insert into forgotten_sweep (network, emptied) select network, emptied from restoration;

drop table restoration;
drop table restored_movement;
drop table unpaid_payout;
drop index payout_made_in;
alter table payout drop constraint payout_made_in;
alter table payout drop column made_in;

-- An operator's attribution is a slot with that transaction now.
update hold set code = 'trouble', params = '{"error":"RestorePaid"}', closed_at = coalesce(closed_at, now()) where code = 'restore_paid';
do $$
declare
  listed text;
begin
  select pg_get_constraintdef(oid) into strict listed from pg_constraint
    where conrelid = 'hold'::regclass and conname = 'hold_code_check';
  alter table hold drop constraint hold_code_check;
  execute 'alter table hold add constraint hold_code_check ' || replace(listed, '''restore_paid''::text, ', '');
end $$;
