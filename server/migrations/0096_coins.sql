-- Coins of ours on chains that have such, from the blocks that are read for deposits anyway: a node without an index of addresses
-- would have to read all there are.
create table coin (
  network text not null,
  -- As a slot names it: the transaction and the output.
  part text not null,
  owner text not null,
  units numeric(78, 0) not null check (units > 0),
  made_at bigint not null,
  is_coinbase boolean not null,
  -- The block that spent it. Kept as long as a reorganisation may give it back.
  spent_at bigint check (spent_at >= made_at),
  primary key (network, part)
);
create index coin_unspent on coin (network, owner) where spent_at is null;
create index coin_made on coin (network, made_at);
create index coin_spent on coin (network, spent_at) where spent_at is not null;

-- How far each network's coins are known: nothing is spent, and nothing compared, by a book that is not.
create table coin_book (
  network text primary key,
  edition bigint not null,
  block_number bigint,
  block_hash text,
  since bigint not null,
  check ((block_number is null) = (block_hash is null))
);
