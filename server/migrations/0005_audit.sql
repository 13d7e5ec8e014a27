-- Who changed what by hand, and what webhooks need to be told apart and given up.

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- The operator's name, or the app whose key was used.
  actor text not null,
  action text not null,
  -- Never holds a key or a secret.
  data jsonb not null
);

-- What the receiver knows a delivery by: the same for every attempt.
alter table webhook_delivery add column message_id uuid not null default gen_random_uuid();
alter table webhook_delivery add column give_up_at timestamptz not null;
create index webhook_delivery_due on webhook_delivery (next_at) where delivered_at is null and failed_at is null;
create index webhook_endpoint_app on webhook_endpoint (app_id) where disabled_at is null;

-- Keys are forgotten after a day.
create index idempotency_key_age on idempotency_key (created_at);
