-- One of a thousand groups of clients, by a hash of the client that a deposit address was given to; null without a client, and in rows of the
-- release before. Of each group some closed swaps are watched, so that the swaps of one client displace few of others'. A group of a
-- thousand tells no one who the client was.
alter table swap add column client_group smallint check (client_group between 0 and 999);
create index swap_expected_group on swap (source_network, client_group, closed_at desc) include (receiver)
  where uses_deposit_address and closed_at is not null and client_group is not null;
