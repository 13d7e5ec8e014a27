-- Whether each network could be read, counted per day: the public status page shows its uptime.
-- The newest row of a network also has its present state.
create table network_check (
  network text not null,
  day date not null,
  checks integer not null check (checks > 0),
  good integer not null check (good between 0 and checks),
  state text not null check (state in ('up', 'behind', 'down', 'unknown')),
  at timestamptz not null,
  primary key (network, day)
);
