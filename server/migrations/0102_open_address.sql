-- Who opened a deposit address that is not paid yet: an app's key, or a client's address. A client has a quota of these, because each is
-- watched closely. Rows are deleted when the deposit window ends.
create table open_address (
  swap_id uuid primary key references swap (id),
  client text not null,
  until timestamptz not null
);
create index open_address_client on open_address (client, until);
create index open_address_until on open_address (until);
