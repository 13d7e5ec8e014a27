-- The path of a swap. Amounts are base units; the constraints here are what keeps money from being paid twice, whatever
-- the code above does.

create table deposit_address (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  -- What the address was derived with; nothing else is needed to empty it.
  index integer not null,
  address text not null,
  -- Route, recipient, refund address and app: the same purpose gets the same address again.
  purpose text not null,
  created_at timestamptz not null default now(),
  unique (network, index),
  unique (network, address)
);
create index deposit_address_purpose on deposit_address (purpose, created_at desc);

create table swap (
  id uuid primary key,
  sequence bigint generated always as identity (start with 1000001) unique,
  reference_id text,
  app_name text,
  correlation_id text,
  status text not null check (status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending',
    'pending_refund', 'completed', 'failed', 'expired', 'refunded')),
  fail_reason text,
  -- Which way the swap's money went. Payouts refer to it, so that it cannot change while one of them stands.
  settlement text check (settlement in ('output', 'refund')),
  source_network text not null,
  source_token text not null,
  destination_network text not null,
  destination_token text not null,
  refuel boolean not null,
  destination_address text not null,
  source_address text,
  refund_address text,
  -- Where the deposit is awaited: the treasury, or a generated address.
  receiver text not null,
  uses_deposit_address boolean not null,
  requested_units numeric(78, 0) check (requested_units > 0),
  slippage numeric(78, 0) not null,
  -- The exact terms, base units as text; null while the amount is open.
  quote jsonb,
  -- What was shown with the quote (prices, rate, duration), for reading only.
  quote_view jsonb not null,
  quote_expires_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  unique (id, settlement)
);
create index swap_waiting on swap (expires_at) where status = 'user_transfer_pending';
create index swap_owing on swap (id) where status = 'pending_refund';
create index swap_receiver on swap (source_network, receiver, sequence desc) where uses_deposit_address;

create table deposit (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  tx_hash text not null,
  index integer not null,
  block_number numeric(78, 0),
  block_hash text,
  from_address text,
  to_address text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  reference bigint,
  -- Null: unmatched. Kept, visible, never paid by itself.
  swap_id uuid references swap,
  state text not null check (state in ('seen', 'confirmed', 'gone', 'lost')),
  output_units numeric(78, 0) not null default 0 check (output_units >= 0),
  refund_units numeric(78, 0) not null default 0 check (refund_units >= 0),
  confirmations_wanted integer not null,
  seen_at timestamptz not null default now(),
  confirmed_at timestamptz,
  -- Deep enough that no reorg is looked for any more.
  final boolean not null default false,
  swept_by uuid,
  -- A deposit counts once, whoever saw it first.
  unique (network, tx_hash, index),
  -- Every base unit of a deposit is used once: delivered, or given back.
  check (output_units + refund_units <= units)
);
create index deposit_swap on deposit (swap_id);
create index deposit_tx on deposit (lower(tx_hash));
create index deposit_open on deposit (network, block_number) where not final;
create index deposit_unspent on deposit (swap_id) where state = 'confirmed' and output_units + refund_units < units;
create index deposit_unswept on deposit (network, to_address) where state = 'confirmed' and swept_by is null;

create table payout (
  id uuid primary key default gen_random_uuid(),
  swap_id uuid references swap,
  -- Its place among the payouts of its swap.
  number integer not null,
  kind text not null check (kind in ('output', 'refuel', 'refund', 'return', 'sweep')),
  deposit_id uuid references deposit,
  network text not null,
  account text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- What a refund keeps of its deposit for the gas.
  kept_units numeric(78, 0) not null default 0 check (kept_units >= 0),
  to_address text not null,
  state text not null check (state in ('open', 'confirmed', 'abandoned')),
  started boolean not null default false,
  settlement text generated always as (case when state <> 'abandoned' and kind in ('output', 'refund') then kind end) stored,
  tx_hash text,
  block_number numeric(78, 0),
  fee_units numeric(78, 0),
  -- Since when it cannot be paid, and why.
  held_since timestamptz,
  held_reason text,
  reverts integer not null default 0,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  confirmed_at timestamptz,
  check ((kind = 'sweep') = (swap_id is null)),
  -- What may be on its way is never struck out.
  check (state <> 'abandoned' or not started),
  check ((kind in ('refund', 'return')) = (deposit_id is not null)),
  -- Output and refund exclude each other: both refer to the one settlement of their swap.
  foreign key (swap_id, settlement) references swap (id, settlement)
);
-- One payout of a kind; for refunds one a deposit.
create unique index payout_output on payout (swap_id) where kind = 'output' and state <> 'abandoned';
create unique index payout_refuel on payout (swap_id) where kind = 'refuel' and state <> 'abandoned';
create unique index payout_refund on payout (deposit_id, kind) where deposit_id is not null and state <> 'abandoned';
create unique index payout_swap on payout (swap_id, number);
create index payout_tx on payout (lower(tx_hash));
create index payout_open on payout (network, token) where state = 'open';
alter table deposit add foreign key (swept_by) references payout;

-- Who may hand out slots of an account: only the holder of the newest number.
create table signing_account (
  network text not null,
  account text not null,
  fence bigint not null default 0,
  primary key (network, account)
);

create table slot (
  id bigint generated always as identity primary key,
  network text not null,
  account text not null,
  parts text[] not null,
  -- `open`: something may land. `landed`: one attempt is in a final block. `dead`: proven that none can.
  state text not null check (state in ('open', 'landed', 'dead')),
  created_at timestamptz not null default now()
);
create index slot_open on slot (network, account) where state = 'open';

-- A nonce, a coin, a query id is handed out once.
create table slot_part (
  network text not null,
  account text not null,
  part text not null,
  slot_id bigint not null references slot on delete cascade,
  primary key (network, account, part)
);

-- What a slot pays. A payout stands in one live slot at a time.
create table slot_payout (
  slot_id bigint not null references slot on delete cascade,
  payout_id uuid not null references payout,
  live boolean not null default true,
  primary key (slot_id, payout_id)
);
create unique index slot_payout_live on slot_payout (payout_id) where live;

create table attempt (
  slot_id bigint not null references slot,
  number integer not null,
  hash text not null,
  bytes text not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (slot_id, number)
);
create index attempt_hash on attempt (lower(hash));

create table swap_event (
  id bigint generated always as identity primary key,
  swap_id uuid not null references swap,
  type text not null,
  status text not null,
  data jsonb not null,
  at timestamptz not null default now()
);
create index swap_event_swap on swap_event (swap_id, id);

create table ledger_entry (
  id bigint generated always as identity primary key,
  posting uuid not null,
  reason text not null,
  swap_id uuid references swap,
  account text not null,
  owner text not null,
  network text not null,
  token text not null,
  units numeric(78, 0) not null check (units <> 0),
  at timestamptz not null default now()
);
create index ledger_entry_swap on ledger_entry (swap_id);
create index ledger_entry_balance on ledger_entry (account, network, token, owner);

create table chain_cursor (
  network text primary key,
  cursor text not null,
  head_number numeric(78, 0) not null,
  head_hash text not null,
  -- Blocks from here on were replaced and their deposits not looked up again yet.
  recheck_from numeric(78, 0),
  at timestamptz not null default now()
);

-- One holder at a time for work that must not run twice; the number tells a holder that was paused from its successor.
create table lease (
  name text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at timestamptz not null
);
