-- Each process start derives deposit addresses in a branch of its own and counts indexes in memory. So no address is given out twice,
-- even if the database is rolled back to a time before an address was stored.

create table address_branch (
  -- Seconds from 2020 to the process start, or the next free number behind: a rolled-back database does not lead to a used one.
  branch integer primary key check (branch > 0),
  started_at timestamptz not null,
  -- A process without keys depends on public keys that others have derived for its branch.
  has_keys boolean not null
);

alter table deposit_address add column branch integer not null default 0 check (branch >= 0);
-- The treasury whose keys or factory the address is derived from.
alter table deposit_address add column account text;
update deposit_address set account = coalesce((select address from treasury
  where treasury.network = deposit_address.network order by at desc limit 1), '');
alter table deposit_address alter column account set not null;
alter table deposit_address drop constraint deposit_address_network_index_key;
alter table deposit_address add constraint deposit_address_derivation_key unique (network, account, branch, index);
