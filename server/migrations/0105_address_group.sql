-- The group of the client that a deposit address was given to (see 0109_client_group.sql); null without a client, for restored addresses, and
-- in rows of the release before. Groups take turns where only some addresses can be read: the new ones of each are found by this index.
alter table deposit_address add column client_group smallint check (client_group between 0 and 999);
create index deposit_address_group on deposit_address (network, client_group, created_at desc) include (address)
  where client_group is not null;
