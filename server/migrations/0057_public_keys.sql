-- The public halves of the service's keys, written by the processes that hold them: of wallets, and of deposit addresses that are
-- still to be given out. A process that only answers callers makes addresses of these and holds no key.
create table public_key (
  curve text not null,
  path text not null,
  key bytea not null,
  at timestamptz not null default now(),
  primary key (curve, path)
);
