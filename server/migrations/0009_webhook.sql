-- Webhooks: where apps want to be notified of their swaps.

create table webhook_endpoint (
  id uuid primary key default gen_random_uuid(),
  app_id uuid not null references app,
  url text not null,
  -- Signs deliveries, so it is stored as it is; shown to the app once.
  secret text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  unique (app_id, url)
);
create index webhook_endpoint_app on webhook_endpoint (app_id) where disabled_at is null;

-- One status change for one endpoint. Deliveries of one swap are sent in the order of their ids.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  -- The same for every attempt, so that the receiver can ignore a repetition.
  message_id uuid not null default gen_random_uuid(),
  endpoint_id uuid not null references webhook_endpoint,
  swap_id uuid not null references swap,
  status text not null check (status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending', 'pending_refund',
    'completed', 'failed', 'expired', 'refunded')),
  body text not null,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  -- The retry deadline.
  give_up_at timestamptz not null,
  delivered_at timestamptz,
  -- Given up at the deadline; an operator can replay it.
  failed_at timestamptz,
  last_error text
);
create index webhook_delivery_waiting on webhook_delivery (endpoint_id, swap_id, id)
  where delivered_at is null and failed_at is null;
create index webhook_delivery_due on webhook_delivery (next_at) where delivered_at is null and failed_at is null;
create index webhook_delivery_swap on webhook_delivery (swap_id, id);
-- Old ones to be deleted, and failed ones to be counted.
create index webhook_delivery_done on webhook_delivery (created_at)
  where delivered_at is not null or failed_at is not null;
create index webhook_delivery_given_up on webhook_delivery (failed_at) where failed_at is not null;
