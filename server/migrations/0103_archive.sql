-- Closed swaps whose history was written to an archive, or erased on request: their events, notes and deliveries are gone, and so are addresses.
-- A swap that money refers to stays as a row, so that every constraint on it, its payouts and its deposits goes on holding.
alter table swap add column archived_at timestamptz;
alter table swap add constraint swap_archived_is_closed check (archived_at is null or closed_at is not null);
create index swap_closed on swap (closed_at, id) where closed_at is not null and archived_at is null;

-- A swap that leaves as a whole is looked up in everything that may refer to it.
create index reward_swap on reward (swap_id);
create index gasless_nonce_swap on gasless_nonce (swap_id);
create index return_decision_swap on return_decision (swap_id) where swap_id is not null;
create index idempotency_key_swap on idempotency_key (swap_id);
create index hold_of_deposit on hold (deposit_id) where deposit_id is not null;

-- The same as before, and leaving the address out of an archived swap.
create or replace function refund_address_stays() returns trigger language plpgsql as $$
begin
  if new.archived_at is not null and new.refund_address is null then return new; end if;
  raise exception 'the refund address of a swap is the one it was made with';
end $$;
create or replace function notes_are_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from swap where id = old.swap_id and archived_at is not null) then return old; end if;
  raise exception 'a note is neither changed nor taken out';
end $$;

-- Nothing happens to an archived swap any more.
create function archived_swap_stays() returns trigger language plpgsql as $$
begin
  raise exception 'the swap % is archived', old.id using errcode = 'check_violation', constraint = 'archived_swap_stays';
end $$;
create trigger swap_archived_stays before update on swap for each row
  when (old.archived_at is not null and (new.archived_at, new.status, new.settlement, new.closed_at)
    is distinct from (old.archived_at, old.status, old.settlement, old.closed_at))
  execute function archived_swap_stays();

-- A payout for an archived swap is a bug, whatever ordered it. The lock waits for an archive run that is under way.
create function payout_swap_is_live() returns trigger language plpgsql as $$
declare
  gone timestamptz;
begin
  select archived_at into gone from swap where id = new.swap_id for key share;
  if gone is not null then
    raise exception 'the swap % is archived', new.swap_id using errcode = 'check_violation', constraint = 'payout_swap_is_live';
  end if;
  return new;
end $$;
create trigger payout_swap_is_live before insert or update of state, swap_id on payout
  for each row when (new.swap_id is not null and new.state = 'open') execute function payout_swap_is_live();

-- A deposit that was matched while its swap was archived is matched again: the error is one that is retried.
create function deposit_swap_is_live() returns trigger language plpgsql as $$
declare
  gone timestamptz;
begin
  select archived_at into gone from swap where id = new.swap_id for key share;
  if gone is not null then
    raise exception 'the swap % is archived', new.swap_id using errcode = 'serialization_failure';
  end if;
  return new;
end $$;
create trigger deposit_swap_is_live before insert on deposit
  for each row when (new.swap_id is not null) execute function deposit_swap_is_live();
create trigger deposit_new_swap_is_live before update of swap_id on deposit
  for each row when (new.swap_id is not null and new.swap_id is distinct from old.swap_id) execute function deposit_swap_is_live();
