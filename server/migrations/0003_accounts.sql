-- Who uses the service: apps, their keys, and where they want to be told of their swaps.

create table app (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now()
);

-- Only a hash is kept: a key is shown once, when it is made.
create table api_key (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references app,
  environment text not null check (environment in ('mainnet', 'testnet')),
  -- The first characters, so that people can tell their keys apart.
  hint text not null,
  hash text not null unique,
  created_at timestamptz not null default now(),
  -- A rotated key goes on for a while beside its successor.
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_app on api_key (app_id);

alter table swap add column app_id uuid references app;
create index swap_app on swap (app_id, sequence desc) where app_id is not null;
create index swap_newest on swap (sequence desc);
create index swap_reference on swap (reference_id, sequence desc) where reference_id is not null;
create index swap_source_address on swap (lower(source_address), sequence desc) where source_address is not null;
create index swap_destination_address on swap (lower(destination_address), sequence desc);
create index swap_refund_address on swap (lower(refund_address), sequence desc) where refund_address is not null;
create index swap_deposit_address on swap (lower(receiver), sequence desc) where uses_deposit_address;

-- The same key and body answer with the same swap.
create table idempotency_key (
  scope text not null,
  key text not null,
  body_hash text not null,
  swap_id uuid not null references swap deferrable initially deferred,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);

create table webhook_endpoint (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references app,
  url text not null,
  -- Signs deliveries, so it must be readable to us; shown to the app once.
  secret text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  unique (app_id, url)
);

-- One status change for one endpoint. Deliveries of one swap go out in the order of their ids.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  endpoint_id uuid not null references webhook_endpoint,
  swap_id uuid not null references swap,
  status text not null,
  body text not null,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  delivered_at timestamptz,
  -- Given up after days; can be replayed by hand.
  failed_at timestamptz,
  last_error text
);
create index webhook_delivery_waiting on webhook_delivery (endpoint_id, swap_id, id)
  where delivered_at is null and failed_at is null;
create index webhook_delivery_swap on webhook_delivery (swap_id, id);
