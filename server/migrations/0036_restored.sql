-- A database that went back in time must not pay again: what our wallets did on chain is compared with what the books say
-- they did, and what the books do not know is held for a person.

-- How far a wallet's history on chain was compared. It goes back with the database, so that the gap is looked at.
create table wallet_check (
  network text not null,
  account text not null,
  checked_to numeric(78, 0) not null,
  at timestamptz not null default now(),
  primary key (network, account)
);

-- Said by an operator: the database was restored. Deposits up to that block may have been paid before.
create table restoration (
  network text primary key,
  until_block numeric(78, 0) not null,
  at timestamptz not null default now()
);

-- What left a wallet of ours in transactions that the books did not know, one row a transaction and token.
create table restored_movement (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  account text not null,
  tx_hash text not null,
  block_number numeric(78, 0) not null,
  slot text[] not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- What of it a person recognised as payouts of ours.
  explained_units numeric(78, 0) not null default 0,
  found_at timestamptz not null default now(),
  reviewed_at timestamptz,
  reviewed_by text,
  -- One transaction explains no more than it moved.
  check (explained_units <= units),
  unique (network, account, tx_hash, token)
);
create index restored_movement_open on restored_movement (network) where reviewed_at is null;

-- A person's word on a payout that may have been made in that time: it was not, and may go.
create table unpaid_payout (
  payout_id uuid primary key references payout,
  answered_by text not null,
  at timestamptz not null default now()
);
