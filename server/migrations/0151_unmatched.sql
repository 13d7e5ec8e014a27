-- Where a person wants an unmatched deposit to go: to an address or to a swap, one word a deposit, the newest.
alter table return_decision
  alter column to_address drop not null,
  add column swap_id uuid references swap on delete cascade,
  add constraint return_decision_place check (num_nonnulls(to_address, swap_id) = 1);

-- The largest of each token come first: whoever sends dust hides nothing by it.
drop index deposit_unmatched;
create index deposit_unmatched on deposit (network, token, units desc, seen_at desc, id)
  where swap_id is null and resolution is null and state <> 'gone';
