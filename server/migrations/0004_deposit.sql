-- Deposits: incoming transfers, matched to a swap or not.

create table deposit (
  id uuid primary key default gen_random_uuid(),
  network text not null,
  -- The deposit's key: transaction, and index of the transfer in it.
  tx_hash text not null,
  index integer not null,
  -- What nodes and explorers call the transaction, if that is not its hash.
  alias text,
  -- Null while it is in the mempool.
  block_number numeric(78, 0),
  block_hash text,
  -- The block's own time; null if the chain does not tell it. A deposit meets a quote's deadline by this time.
  block_at timestamptz,
  -- The sender, if it can be refunded to.
  from_address text,
  -- Every address that funded it, contracts included: for screening, never for refunds.
  senders text[] not null default '{}',
  to_address text not null,
  token text not null,
  units numeric(78, 0) not null check (units > 0),
  -- The swap number that the transfer names.
  reference bigint,
  -- Null: unmatched. It is stored and shown, and paid back only by an operator's decision.
  swap_id uuid references swap,
  -- An operator's decision on an unmatched deposit.
  resolution text check (resolution in ('assigned', 'refunded', 'ignored')),
  -- The refund address given for this deposit alone; it wins over the swap's own.
  refund_address text,
  -- `seen`: not credited yet. `confirmed`: credited. `gone`: dropped before anything was paid for it. `lost`: reorged out after
  -- something was paid for it.
  state text not null check (state in ('seen', 'confirmed', 'gone', 'lost')),
  confirmations_wanted integer not null,
  -- It is identified by its block and not by a transaction that could be mined again: it is credited when that block is final.
  final_only boolean not null default false,
  -- How much of it was delivered, and how much refunded or returned.
  output_units numeric(78, 0) not null default 0 check (output_units >= 0),
  refund_units numeric(78, 0) not null default 0 check (refund_units >= 0),
  seen_at timestamptz not null default now(),
  confirmed_at timestamptz,
  -- So deep that no reorg is checked for any more.
  final boolean not null default false,
  -- The scan position when its node first did not know it any more; null while it is found.
  missing_from numeric(78, 0),
  -- The scan position when its block was reorged, or when a node last told where it is now; null if nothing is in doubt.
  shaken_at numeric(78, 0),
  -- The operator was alerted that no node tells where it is: nothing waits for it any more.
  shaken_told boolean not null default false,
  -- Orphaned blocks that it was in: an answer that names one of them proves nothing.
  replaced_blocks text[] not null default '{}',
  -- After a reorg the same transaction may contain another transfer at the same index: that is another deposit. The old row stays
  -- for the record.
  replaced boolean not null default false,
  -- The sweep that collects it.
  swept_by uuid,
  -- It left the deposit address without a sweep of ours: none is needed.
  emptied boolean not null default false,
  -- Every base unit of a deposit is used once: delivered or given back.
  constraint deposit_used_once check (output_units + refund_units <= units),
  -- A superseded deposit is not credited.
  constraint deposit_replaced_state check (not replaced or state in ('gone', 'lost')),
  constraint refund_address_is_of_a_swap check (refund_address is null or swap_id is not null)
);

-- A deposit is credited once, whichever process or node saw it first.
create unique index deposit_place on deposit (network, tx_hash, index) where not replaced;
-- Superseded deposits with the same key: looked up whenever a transfer appears at that key.
create index deposit_replaced on deposit (network, tx_hash, index) where replaced;

create index deposit_swap on deposit (swap_id);
create index deposit_tx on deposit (lower(tx_hash));
create index deposit_alias on deposit (lower(alias)) where alias is not null;
create index deposit_refund_address on deposit (lower(refund_address)) where refund_address is not null;

-- Work of every new head. Each query has an index of exactly the rows that it needs, and final deposits leave it.
create index deposit_unfinal on deposit (network, state, block_number) where not final and state in ('seen', 'confirmed');
-- In the mempool.
create index deposit_waiting on deposit (network, id) where not final and state = 'seen' and block_number is null;
-- By the head at which it has enough confirmations.
create index deposit_ripe on deposit (network, (block_number + confirmations_wanted::numeric))
  where not final and state = 'seen';
-- To be re-verified after a reorg.
create index deposit_shaken on deposit (network, shaken_told, id)
  where shaken_at is not null and not final and state in ('seen', 'confirmed');
create index deposit_gone on deposit (network, greatest(block_number, missing_from))
  where not final and state = 'gone' and not replaced;
create index deposit_lost on deposit (network, id) where not final and state = 'lost' and not replaced;
-- Lost deposits by their last block: few are within reach of a reorg, however many were lost over the years.
create index deposit_lost_block on deposit (network, block_number) where not final and state = 'lost' and not replaced;
-- By address, in the order that the query reads them.
create index deposit_lost_at on deposit (network, to_address, token, id) where state = 'lost' and not replaced;

-- Credited, and not fully used yet.
create index deposit_unspent on deposit (swap_id) where state = 'confirmed' and output_units + refund_units < units;
-- Reconciliation: what came to a wallet above a block, and what of it is not final.
create index deposit_arrived on deposit (network, to_address, block_number, token);
create index deposit_unsettled on deposit (network, to_address, token) where state = 'confirmed' and not final;

-- Sweeps ask for one address after another in the order of this index. Without that order the planner reads deposits at random until
-- one fits.
create index deposit_unswept on deposit (network, to_address, token, block_number)
  where state = 'confirmed' and swept_by is null and not emptied;
create index deposit_swept_by on deposit (swept_by) where swept_by is not null;

-- The operator's list of unmatched deposits. The largest of each token come first, so that dust hides nothing.
create index deposit_unmatched on deposit (network, token, units desc, seen_at desc, id)
  where swap_id is null and resolution is null and state <> 'gone';

-- An operator's decision on an unmatched deposit that was not carried out yet: send it to an address, or assign it to a swap. The newest
-- decision replaces an older one.
create table return_decision (
  deposit_id uuid primary key references deposit on delete cascade,
  to_address text,
  swap_id uuid references swap on delete cascade,
  at timestamptz not null,
  -- Why the service does not carry it out: it waits for another decision.
  refused text,
  constraint return_decision_place check (num_nonnulls(to_address, swap_id) = 1)
);
