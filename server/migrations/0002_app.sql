-- Clients of the API: apps, their keys, and how much each client has asked for.

create table app (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now()
);

-- Only a hash is stored: the key itself is shown once, when it is created.
create table api_key (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references app,
  environment text not null check (environment in ('mainnet', 'testnet')),
  -- A public key may stand in a web page: it has the rights of an anonymous client, with higher rate limits. A secret key acts for
  -- its app.
  kind text not null default 'secret' check (kind in ('public', 'secret')),
  -- The first characters, so that people can tell their keys apart.
  hint text not null,
  hash text not null unique,
  created_at timestamptz not null default now(),
  -- A rotated key stays valid for a while alongside its successor.
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_app on api_key (app_id);

-- Requests per client in its running minute, summed over all processes. Worthless after a crash, so not logged.
create unlogged table rate_window (
  client text primary key,
  ends_at timestamptz not null,
  reads integer not null,
  creations integer not null
);
-- To delete windows that are over.
create index rate_window_over on rate_window (ends_at);

-- The processes that count requests: the more there are, the more often each reads the sums of the others.
create unlogged table rate_process (
  id uuid primary key,
  seen_at timestamptz not null
);
