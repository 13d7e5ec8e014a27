-- The double-entry ledger, and its reconciliation with the chain.

-- The entries of a posting sum up to zero per network and token.
create table ledger_entry (
  id bigint generated always as identity primary key,
  posting uuid not null,
  -- The second half are reversals.
  reason text not null check (reason in ('deposit', 'assigned', 'output promised', 'refuel promised', 'refund promised',
    'reward promised', 'unmatched returned', 'remainder kept', 'payout', 'network fee', 'sweep', 'capital', 'difference accepted',
    'unannounced', 'restored', 'restored payout', 'deposit lost',
    'output taken back', 'refuel taken back', 'refund taken back', 'reward taken back', 'return taken back', 'remainder gone',
    'payout undone', 'sweep undone', 'recognised by mistake', 'deposit gone', 'lost deposit found', 'loss averted')),
  swap_id uuid references swap,
  -- What each account means: `Account` in core/src/swap/ledger.ts.
  account text not null check (account in ('wallet', 'customer', 'promised', 'exchange', 'fees', 'network_fees', 'rewards', 'unmatched',
    'restored', 'loss', 'capital')),
  -- Within the account: a wallet's address, a swap's id.
  owner text not null,
  network text not null,
  token text not null,
  units numeric(78, 0) not null check (units <> 0),
  at timestamptz not null default now(),
  -- Included in ledger_balance.
  folded boolean not null default false,
  -- The block that shows what was booked; null if a deposit or payout has it.
  block_number numeric(78, 0)
);
create index ledger_entry_swap on ledger_entry (swap_id);
create index ledger_entry_balance on ledger_entry (account, network, token, owner);
create index ledger_entry_unfolded on ledger_entry (id) where not folded;
create index ledger_entry_young on ledger_entry (network, token, owner) where not folded and account = 'wallet';
create index ledger_entry_block on ledger_entry (network, token, owner, block_number)
  where account = 'wallet' and block_number is not null;
-- Profit and loss, and volume, of recent days.
create index ledger_entry_result on ledger_entry (at) include (account, network, token, units)
  where account in ('fees', 'network_fees', 'rewards', 'loss');
create index ledger_entry_paid on ledger_entry (at) where account = 'promised' and reason = 'payout';

-- Balances without adding up the whole history: a balance is this sum plus the entries that are not folded into it. Folding is a
-- statement of its own, so that postings never wait for each other.
create table ledger_balance (
  account text not null check (account in ('wallet', 'customer', 'promised', 'exchange', 'fees', 'network_fees', 'rewards', 'unmatched',
    'restored', 'loss', 'capital')),
  network text not null,
  token text not null,
  owner text not null,
  units numeric(78, 0) not null,
  -- The block of the chain's balance in the last comparison; null: never compared, it is next.
  looked_block numeric(78, 0),
  -- When the chain was last asked for it.
  asked_at timestamptz,
  primary key (account, network, token, owner)
);
create index ledger_balance_turn on ledger_balance (network, token, looked_block nulls first, owner)
  where account = 'wallet' and units <> 0;
-- Deposit addresses are compared in rotation: the one that was asked for longest ago is next.
create index ledger_balance_asked on ledger_balance (network, token, asked_at nulls first, owner)
  where account = 'wallet' and units <> 0;
create index ledger_balance_worth on ledger_balance (network, token, units desc, owner desc)
  where account = 'wallet' and units > 0;
-- Balances of finished swaps, to be deleted.
create index ledger_balance_over on ledger_balance (owner) where units = 0 and account in ('customer', 'promised');

-- How far a slow background check has proven that every posting sums up to zero. At the end it starts again. One row.
create table ledger_proof (
  one boolean primary key default true check (one),
  proven_to bigint not null default 0
);
insert into ledger_proof default values;

-- What a wallet held at a block, kept until no reorg reaches that block: then the ledger must say the same.
create table balance_snapshot (
  id bigint generated always as identity primary key,
  network text not null,
  account text not null,
  token text not null,
  block_number numeric(78, 0) not null,
  -- Null if the node does not name the block: then the block number is the scan position.
  block_hash text,
  -- The scan was at exactly this block.
  verified boolean not null default false,
  units numeric(78, 0) not null,
  -- Slots with a higher id were handed out after the node had answered.
  slots_to bigint not null,
  at timestamptz not null default now()
);
create index balance_snapshot_wallet on balance_snapshot (network, token, account, block_number);
create index balance_snapshot_block on balance_snapshot (network, block_number);

-- The result of the last comparison per wallet and token.
create table reconciliation (
  network text not null,
  account text not null,
  token text not null,
  chain_units numeric(78, 0) not null,
  ledger_units numeric(78, 0) not null,
  -- The block and the time of `chain_units`.
  block_number numeric(78, 0),
  seen_at timestamptz,
  -- Whether the opening balance is booked: the first steady difference is the operator's capital.
  opened boolean not null default false,
  -- A wallet with payouts on their way held less than these can explain.
  short boolean not null default false,
  -- Scan position and time when the current difference was first found.
  since_block numeric(78, 0),
  since_at timestamptz,
  -- The difference at the last snapshot that was judged, its block, and whether the scan was at exactly that block.
  found_units numeric(78, 0),
  found_block numeric(78, 0),
  found_verified boolean not null default false,
  -- The unexplained credit that every comparison since `since_block` has found.
  surplus_units numeric(78, 0),
  at timestamptz not null default now(),
  primary key (network, account, token)
);

-- What is missing from a halted wallet (0011_hold.sql says why it is halted): releasing the wallet accepts and books exactly this.
create table halt_difference (
  network text not null,
  account text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- The block at which it was missing: only a final balance of this or a later block may reduce it.
  block_number bigint,
  at timestamptz not null default now(),
  primary key (network, account, token)
);

-- What the chain itself may take from a wallet, such as rent: an allowance per day and one for account setup. Larger losses halt the
-- wallet, so a thief cannot hide behind it.
create table allowance_spent (
  network text not null,
  account text not null,
  -- Used of the daily allowance at that time; it recovers evenly within a day.
  daily_units numeric(78, 0) not null check (daily_units >= 0),
  at timestamptz not null,
  -- Used of the setup allowance, which does not recover.
  once_units numeric(78, 0) not null check (once_units >= 0),
  primary key (network, account)
);
