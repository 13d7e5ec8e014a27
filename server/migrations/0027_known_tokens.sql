-- Networks and tokens that the service has ever listed, as it last knew them: what becomes of a swap must not depend on a file
-- that still names them. Nothing of this is offered.
create table known_network (
  name text primary key,
  data jsonb not null,
  at timestamptz not null default now()
);
create table known_token (
  network text not null,
  key text not null,
  data jsonb not null,
  at timestamptz not null default now(),
  primary key (network, key)
);
