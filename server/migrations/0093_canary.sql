-- What the newest canary run found, per network and funding method. The metrics read it, so that any process may be scraped.

create table canary (
  network text not null,
  method text not null,
  -- The result of the newest try. A swap that was not tried leaves the row as it is.
  worked boolean not null,
  tried_at timestamptz not null,
  -- The newest success; null if there was none.
  worked_at timestamptz,
  failures bigint not null default 0,
  -- Why the newest try failed.
  problem text,
  primary key (network, method),
  check (worked = (problem is null))
);
