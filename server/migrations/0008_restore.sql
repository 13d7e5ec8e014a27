-- After a restore from an older backup: what our wallets sent on chain is compared with the ledger, and what the ledger does not know is
-- held for an operator, so that nothing is paid a second time.

-- How far the history of a wallet on chain was compared. It is restored with the database, so the gap is compared again.
create table wallet_check (
  network text not null,
  account text not null,
  checked_to numeric(78, 0) not null,
  at timestamptz not null default now(),
  primary key (network, account)
);

-- An operator declared that the database was restored. Deposits up to that block may have been paid before.
create table restoration (
  network text primary key,
  until_block numeric(78, 0) not null,
  at timestamptz not null default now(),
  -- The chain was not scanned since: any deposit may have been paid before.
  unread boolean not null default false,
  -- Deposit addresses found empty whose sweeps were forgotten. Some chains take the fee out of the swept amount: it is booked from what
  -- is missing.
  emptied integer not null default 0 check (emptied >= 0),
  -- Until when a forgotten transaction may still be mined alongside new ones; null if the chain rules this out.
  settles_at timestamptz,
  -- Swaps up to this number are older than the restore. By number because clocks differ.
  numbers_to bigint not null default 0
);

-- What left a wallet of ours in transactions that are not in the ledger, one row per transaction and token.
create table restored_movement (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  account text not null,
  tx_hash text not null,
  block_number numeric(78, 0) not null,
  slot text[] not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- How much an operator attributed to payouts of ours. It may exceed `units`: a payout that was ordered again at another price may be
  -- larger than the one that was sent.
  explained_units numeric(78, 0) not null default 0,
  found_at timestamptz not null default now(),
  reviewed_at timestamptz,
  reviewed_by text,
  -- The network fee of a transfer: it pays no payout.
  is_fee boolean not null default false,
  unique (network, account, tx_hash, token)
);
create index restored_movement_open on restored_movement (network) where reviewed_at is null;
-- What may have paid payouts that were not attributed yet, reviewed or not.
create index restored_movement_unexplained on restored_movement (network) where explained_units < units;

-- An operator's decision that a payout was not paid in the restore gap, and may be paid.
create table unpaid_payout (
  payout_id uuid primary key references payout,
  answered_by text not null,
  at timestamptz not null default now()
);
