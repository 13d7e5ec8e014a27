-- The IPv6 networks above the client of an open deposit address, a /56 and a /48: anyone can get a /48, with 65,536 clients. Each has a quota
-- of its own. Empty for keys, for IPv4, and in rows of the release before.
alter table open_address add column within text[] not null default '{}';
create index open_address_within on open_address using gin (within) where within <> '{}';
