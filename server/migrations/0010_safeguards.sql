-- What stands between a bug and the wallet: switches, limits, halted wallets, approvals. All of it outlives a restart.

-- A row means that something is paused. Scopes: service, network:NAME, token:NETWORK/KEY, route:NETWORK/KEY>NETWORK/KEY.
create table switch (
  scope text primary key,
  stops_swaps boolean not null,
  stops_payouts boolean not null,
  reason text not null,
  at timestamptz not null default now(),
  check (stops_swaps or stops_payouts)
);

-- Dollars in 10^-18, by kind and scope.
create table safety_limit (
  kind text not null check (kind in ('swap_max', 'hourly_outflow', 'daily_outflow', 'wallet_ceiling', 'approval_above')),
  scope text not null,
  usd numeric(78, 0) not null check (usd >= 0),
  at timestamptz not null default now(),
  primary key (kind, scope)
);

-- A wallet whose coins do not agree with the books signs nothing until a person has looked.
create table wallet_halt (
  network text not null,
  account text not null,
  reason text not null,
  at timestamptz not null default now(),
  primary key (network, account)
);

-- What a reconciliation found, one row a wallet and token.
create table reconciliation (
  network text not null,
  account text not null,
  token text not null,
  chain_units numeric(78, 0) not null,
  ledger_units numeric(78, 0) not null,
  -- Whether the books of this wallet and token are open: the first steady difference is the operator's capital.
  opened boolean not null default false,
  at timestamptz not null default now(),
  primary key (network, account, token)
);

alter table payout
  add column approved_at timestamptz,
  add column approved_by text,
  add column rejected_at timestamptz;

-- What a person decided about a deposit that matched no swap.
alter table deposit
  add column resolution text check (resolution in ('assigned', 'refunded', 'ignored'));
create index deposit_unmatched on deposit (seen_at) where swap_id is null and resolution is null;

-- Coins of nobody may be sent back to whom an operator names: a return without a swap.
alter table payout drop constraint if exists payout_check;
alter table payout drop constraint if exists payout_swap_check;
alter table payout add constraint payout_has_swap check (
  swap_id is not null or kind in ('sweep', 'return', 'relay', 'admin'));
