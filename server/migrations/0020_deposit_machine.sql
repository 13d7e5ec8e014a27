-- The deposit machine (core/src/deposit): what nodes reported, the blocks they named, and what must be inspected.
-- The marks that overlapped (missing_from, shaken_at, shaken_told, replaced_blocks) go: they are derived from these tables.

-- The scan's clock. `generation` counts the reorgs that it stored.
alter table chain_cursor
  add column generation bigint not null default 0,
  add column scanned_to numeric(78, 0);
update chain_cursor set scanned_to = head_number;
alter table chain_cursor alter column scanned_to set not null;

-- Append-only. Deleted when nothing of the transaction can change any more; lost deposits keep theirs.
create table deposit_observation (
  id bigint generated always as identity primary key,
  network text not null,
  tx_hash text not null,
  -- The scan's clock, read before the node was asked.
  generation bigint not null,
  head numeric(78, 0) not null,
  by text not null check (by in ('scan', 'inspection', 'hint')),
  kind text not null check (kind in ('seen', 'absent')),
  -- Null: in the mempool.
  block_number numeric(78, 0),
  block_hash text,
  confirmations integer not null default 0,
  transfers jsonb not null default '[]',
  at timestamptz not null,
  check ((block_number is null) = (block_hash is null)),
  check (kind = 'seen' or block_hash is null)
);
create index deposit_observation_tx on deposit_observation (network, tx_hash, id);
create index deposit_observation_block on deposit_observation (network, block_hash) where block_hash is not null;

create table deposit_block (
  network text not null,
  hash text not null,
  number numeric(78, 0) not null,
  -- `unverified`: only a node named it after a reorg, or a credited deposit in it was shown otherwise.
  state text not null check (state in ('canonical', 'orphaned', 'unverified')),
  -- The scan's clock when the state changed.
  generation bigint not null,
  since numeric(78, 0) not null,
  primary key (network, hash)
);
create index deposit_block_number on deposit_block (network, number);

-- What must be inspected, by transaction. A transaction whose deposits are all settled has no row.
create table deposit_look (
  -- Random: rows of one class are read from a random place on, so that each gets its turn.
  id uuid not null default gen_random_uuid(),
  network text not null,
  tx_hash text not null,
  class text not null check (class in ('credit', 'reverify', 'mempool', 'orphaned', 'lost', 'unlocatable')),
  -- Inspected from this scan position on.
  due numeric(78, 0) not null,
  -- The scan position where its time began to run.
  since numeric(78, 0) not null,
  primary key (network, tx_hash, class)
);
create index deposit_look_turn on deposit_look (network, class, id);
create index deposit_look_due on deposit_look (network, class, due);
create index deposit_look_since on deposit_look (network, class, since);

-- Observations of deposits that are stored already are made from their rows when they are first read.
insert into deposit_block (network, hash, number, state, generation, since)
  select distinct on (network, hash) network, hash, number, state, 0, since from (
    select network, unnest(replaced_blocks) as hash, block_number as number, 'orphaned' as state,
      coalesce(shaken_at, 0) as since, 0 as rank
    from deposit where not final and block_number is not null and replaced_blocks <> '{}'
    union all
    select network, block_hash, block_number, 'unverified', shaken_at, 1
    from deposit where not final and block_hash is not null and shaken_at is not null
  ) named order by network, hash, rank;
insert into deposit_look (network, tx_hash, class, due, since)
  select network, tx_hash, class, min(due), min(since) from (
    select network, tx_hash, 'mempool' as class, 0::numeric as due, 0::numeric as since
    from deposit where not final and state = 'seen' and block_number is null
    union all
    select network, tx_hash, 'credit', block_number + confirmations_wanted - 1, 0
    from deposit where not final and state = 'seen' and block_number is not null
    union all
    select network, tx_hash, case when shaken_told then 'unlocatable' else 'reverify' end, 0, shaken_at
    from deposit where not final and state in ('seen', 'confirmed') and shaken_at is not null
    union all
    select network, tx_hash, 'orphaned', 0, greatest(block_number, missing_from)
    from deposit where not final and state = 'gone' and not replaced and block_number is not null
    union all
    select network, tx_hash, 'lost', 0, 0 from deposit where not final and state = 'lost' and not replaced
  ) wanted group by network, tx_hash, class;

drop index deposit_waiting, deposit_ripe, deposit_shaken, deposit_gone, deposit_lost;
alter table deposit
  drop column missing_from,
  drop column shaken_at,
  drop column shaken_told,
  drop column replaced_blocks;
-- A deposit of a transaction that is inspected.
create index deposit_unsettled_tx on deposit (network, tx_hash) where not final and not replaced;
