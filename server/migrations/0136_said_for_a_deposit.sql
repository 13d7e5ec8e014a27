-- Where owed money shall go is said for deposits, each by whoever has a say over it. What was once said for a whole swap cannot be
-- told from what the swap was made with, and stays there.
alter table deposit
  add column refund_address text,
  add constraint refund_address_is_of_a_swap check (refund_address is null or swap_id is not null);

-- Lists by address. They are few.
create index deposit_refund_address on deposit (lower(refund_address)) where refund_address is not null;

-- Whoever spoke for one deposit of a swap would speak for all of them, also for those to come.
create function refund_address_stays() returns trigger language plpgsql as $$
begin
  raise exception 'the refund address of a swap is the one it was made with';
end $$;
create trigger swap_refund_address_stays before update of refund_address on swap for each row
  when (old.refund_address is distinct from new.refund_address) execute function refund_address_stays();
