-- What clients have asked for in their running minute, summed over all processes. It is worth nothing after a crash: not logged.
create unlogged table rate_window (
  client text primary key,
  ends_at timestamptz not null,
  reads integer not null,
  creations integer not null
);
create index rate_window_over on rate_window (ends_at);

-- The processes that count: the more there are, the sooner each asks what the others have seen.
create unlogged table rate_process (
  id uuid primary key,
  seen_at timestamptz not null
);
