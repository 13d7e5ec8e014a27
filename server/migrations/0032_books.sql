-- Books that are read without adding up their whole history, and compared with the chain to the unit while a wallet works.

-- What the entries of an owner sum up to, as far as they are folded in: the balance is this and the entries that are not.
-- Folding is a statement of its own, so that those who post never wait for each other.
create table ledger_balance (
  account text not null,
  network text not null,
  token text not null,
  owner text not null,
  units numeric(78, 0) not null,
  -- The block of which the chain told when this was last compared with it; null: it is its turn.
  looked_block numeric(78, 0),
  primary key (account, network, token, owner)
);
insert into ledger_balance (account, network, token, owner, units)
  select account, network, token, owner, sum(units) from ledger_entry group by 1, 2, 3, 4;
create index ledger_balance_turn on ledger_balance (network, token, looked_block nulls first, owner)
  where account = 'wallet' and units <> 0;
create index ledger_balance_worth on ledger_balance (network, token, units desc, owner desc)
  where account = 'wallet' and units > 0;

alter table ledger_entry
  add column folded boolean not null default true,
  -- Where the chain shows what was booked; null where a deposit or a payout tells, or it was always so.
  add column block_number numeric(78, 0);
alter table ledger_entry alter column folded set default false;
create index ledger_entry_unfolded on ledger_entry (id) where not folded;
create index ledger_entry_young on ledger_entry (network, token, owner) where not folded and account = 'wallet';
create index ledger_entry_block on ledger_entry (network, token, owner, block_number)
  where account = 'wallet' and block_number is not null;

-- How far the slow proof that every posting balances has come; it begins anew at the end.
create table ledger_proof (
  one boolean primary key default true check (one),
  proven_to bigint not null default 0
);
insert into ledger_proof default values;

create index deposit_arrived on deposit (network, to_address, token, block_number);
create index payout_place on payout (network, account, token, block_number) where state = 'confirmed';

-- What a wallet held at a block, kept until no reorg reaches that block: then the books must say the same.
create table holding (
  id bigint generated always as identity primary key,
  network text not null,
  account text not null,
  token text not null,
  block_number numeric(78, 0) not null,
  -- Null where the node does not say of which block it tells: the block is where the scan stood.
  block_hash text,
  -- The scan has stood at this very block.
  verified boolean not null default false,
  units numeric(78, 0) not null,
  -- Slots with a higher number were handed out after the node had answered.
  slots_to bigint not null,
  at timestamptz not null default now()
);
create index holding_wallet on holding (network, token, account, block_number);
create index holding_block on holding (network, block_number);

alter table reconciliation
  -- Of which block, and when, the chain was seen holding `chain_units`.
  add column block_number numeric(78, 0),
  add column seen_at timestamptz,
  -- What the last judged holding differed by, and where it was.
  add column found_units numeric(78, 0),
  add column found_block numeric(78, 0),
  add column found_verified boolean not null default false,
  -- What has been too much at every look since `since_block`.
  add column surplus_units numeric(78, 0);

-- What is missing from a halted wallet: releasing it accepts and books exactly this.
create table halt_difference (
  network text not null,
  account text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  at timestamptz not null default now(),
  primary key (network, account, token),
  foreign key (network, account) references wallet_halt on delete cascade
);

-- The most that a signed transaction can cost, in native units; null where its family does not say.
alter table attempt add column fee_ceiling numeric(78, 0);
