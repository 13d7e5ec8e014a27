-- Every wallet that a network has had, oldest first; the newest is the present one. Former wallets stay watched: users may have been told
-- to pay there.
alter table treasury drop constraint treasury_pkey;
alter table treasury add column id bigint generated always as identity primary key;
create index treasury_network on treasury (network, id desc);

create function treasuries_are_kept() returns trigger language plpgsql as $$ begin
  raise exception 'treasuries are append-only';
end $$;
create trigger treasury_append_only before update or delete on treasury
  for each row execute function treasuries_are_kept();
