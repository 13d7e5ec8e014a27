-- Swaps: what a client ordered, where its deposit is expected, and what happened.

-- Addresses that were derived to receive the deposits of a purpose.
create table deposit_address (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  -- The derivation index: the key of the address follows from it and the recovery phrase.
  index integer not null,
  address text not null,
  -- A digest of route, recipient, refund address and app: the same purpose gets the same address again.
  purpose text not null,
  -- How many addresses of the network were created before it. Round-robin work uses this number because `index` has gaps after a
  -- restore. Two addresses that are created at the same time may share it.
  ordinal integer not null default 0,
  created_at timestamptz not null default now(),
  unique (network, index),
  unique (network, address)
);
create index deposit_address_purpose on deposit_address (purpose, created_at desc);
create index deposit_address_ordinal on deposit_address (network, ordinal);
-- Fresh addresses are watched closely.
create index deposit_address_lately on deposit_address (network, created_at);

create table swap (
  id uuid primary key,
  -- The order of creation, and the number that a deposit names as its reference.
  sequence bigint generated always as identity (start with 1000001) unique,
  app_id uuid references app,
  app_name text,
  -- Chosen by the client, to find the swap again.
  reference_id text,
  correlation_id text,
  status text not null check (status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending', 'pending_refund',
    'completed', 'failed', 'expired', 'refunded')),
  fail_reason text check (fail_reason in ('received_less_than_valid_range', 'received_more_than_valid_range',
    'swap_route_unavailable', 'degraded_quote', 'insufficient_liquidity', 'payout_rejected', 'deposit_lost')),
  -- Whether the swap's money was delivered or refunded. Payouts refer to it, so that it cannot change while one of them exists.
  settlement text check (settlement in ('output', 'refund')),
  source_network text not null,
  source_token text not null,
  -- The exchange that the depositor named, by its name in the operator's configuration.
  source_exchange text,
  source_address text,
  destination_network text not null,
  destination_token text not null,
  destination_exchange text,
  destination_address text not null,
  -- Whether native tokens for fees are delivered in addition to the output.
  refuel boolean not null,
  refund_address text,
  -- Where the deposit is expected: the treasury, our depository contract, or a deposit address.
  receiver text not null,
  uses_deposit_address boolean not null,
  uses_depository boolean not null default false,
  uses_gasless boolean not null default false,
  -- Gas that the recipient's own code needs beyond a plain transfer. It is charged in the quote, and no more is spent.
  recipient_effort numeric not null default 0 check (recipient_effort >= 0),
  requested_units numeric(78, 0) check (requested_units > 0),
  slippage numeric(78, 0) not null,
  -- The terms that apply, base units as text; null while the amount is open.
  quote jsonb,
  -- The terms that the swap was created with, if other terms were applied later.
  agreed_quote jsonb,
  -- Prices, rate and duration as they were shown. For display only.
  quote_view jsonb not null,
  quote_expires_at timestamptz not null,
  -- Since when today's price gives less than was agreed: it is priced again for a while before the deposit is refunded.
  degraded_at timestamptz,
  expires_at timestamptz not null,
  -- When the passing of time may next decide something about its money; null if only an event can. `expires_at` is separate.
  due_at timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  -- From the first sight of its first deposit until it was completed.
  completion_seconds double precision,
  -- The source network's head at creation: a transfer in an earlier block is not its deposit. Null if the network was not read yet.
  made_at_head numeric(78, 0),
  -- Referenced by payout.
  unique (id, settlement)
);

-- Periodic work: each query has an index of exactly the rows that it needs, and finished swaps leave the index.
create index swap_waiting on swap (expires_at) where status = 'user_transfer_pending';
create index swap_owing on swap (id) where status = 'pending_refund';
create index swap_due on swap (due_at) where due_at is not null;
-- Whether a network has a waiting swap: then it is scanned at full speed.
create index swap_waiting_from on swap (source_network) where status = 'user_transfer_pending';

-- Deposit addresses: which swap one belongs to, and which are watched with every block (open swaps, recently closed swaps, and
-- those that wait for a deposit now).
create index swap_receiver on swap (source_network, receiver, sequence desc) where uses_deposit_address;
create index swap_expecting on swap (source_network, receiver) where uses_deposit_address and closed_at is null;
create index swap_expected on swap (source_network, closed_at desc) include (receiver)
  where uses_deposit_address and closed_at is not null;
create index swap_paid_to on swap (source_network, receiver)
  where uses_deposit_address and status = 'user_transfer_pending';

-- The durations shown with quotes come from this index alone.
create index swap_completed on swap (closed_at desc) include (source_network, destination_network, completion_seconds)
  where status = 'completed';

-- Lists, newest first: one index per filter, then status, then number. A list of several statuses merges one scan per status, so that
-- no page reads swaps of other statuses. `nulls last` keeps the planner from walking all swaps by the unique index of `sequence`,
-- which it does if it believes that the filter matches almost every swap.
create index swap_status on swap (status, sequence desc nulls last);
create index swap_source_network on swap (source_network, status, sequence desc nulls last);
create index swap_destination_network on swap (destination_network, status, sequence desc nulls last);
create index swap_app on swap (app_id, status, sequence desc nulls last) where app_id is not null;
create index swap_reference on swap (reference_id, status, sequence desc nulls last) where reference_id is not null;
create index swap_source_address on swap (lower(source_address), status, sequence desc nulls last)
  where source_address is not null;
create index swap_destination_address on swap (lower(destination_address), status, sequence desc nulls last);
create index swap_refund_address on swap (lower(refund_address), status, sequence desc nulls last)
  where refund_address is not null;
create index swap_deposit_address on swap (lower(receiver), status, sequence desc nulls last) where uses_deposit_address;

-- A swap's own refund address never changes: a caller who may decide for one deposit must not decide for all, including later ones.
-- A later address is stored with its deposit.
create function refund_address_stays() returns trigger language plpgsql as $$
begin
  raise exception 'the refund address of a swap is the one it was made with';
end $$;
create trigger swap_refund_address_stays before update of refund_address on swap for each row
  when (old.refund_address is distinct from new.refund_address) execute function refund_address_stays();

-- The timeline of a swap.
create table swap_event (
  id bigint generated always as identity primary key,
  swap_id uuid not null references swap,
  type text not null check (type in ('deposit_seen', 'deposit_confirmed', 'deposit_gone', 'payout_confirmed', 'payout_undone',
    'payout_abandoned', 'tick', 'refund_address_given')),
  -- The swap's status after the event.
  status text not null check (status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending', 'pending_refund',
    'completed', 'failed', 'expired', 'refunded')),
  data jsonb not null,
  at timestamptz not null default now()
);
create index swap_event_swap on swap_event (swap_id, id);

-- What operators write down about a swap. Append only, so that later readers can rely on it.
create table swap_note (
  id bigint generated always as identity primary key,
  swap_id uuid not null references swap,
  author text not null,
  at timestamptz not null,
  text text not null check (length(text) between 1 and 1000)
);
create index swap_note_swap on swap_note (swap_id, id);
create function notes_are_kept() returns trigger language plpgsql as $$
begin
  raise exception 'a note is neither changed nor taken out';
end $$;
create trigger swap_note_kept before update or delete on swap_note for each row execute function notes_are_kept();

-- A repeated request with the same key and body is answered with the same swap. Deleted after a day.
create table idempotency_key (
  -- The client that the key belongs to.
  scope text not null,
  key text not null,
  body_hash text not null,
  -- Deferred: the key is claimed before the swap is inserted, in the same transaction.
  swap_id uuid not null references swap deferrable initially deferred,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);
create index idempotency_key_age on idempotency_key (created_at);
