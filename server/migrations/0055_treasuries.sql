-- The wallet of each network as this database has known it: another recovery phrase under the same books would misread them.
create table treasury (
  network text primary key,
  address text not null,
  at timestamptz not null default now()
);
