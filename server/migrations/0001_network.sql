-- Networks, and what the service has read from them: tokens, scan positions, fees, UTXOs; its wallets and public keys; leases.
--
-- In all files: amounts are integers in the token's base units, `numeric(78, 0)`, which holds a uint256. `network` and `token` are
-- the names of the catalogue. Addresses and hashes are text in the chain's own notation. How files are numbered: README.md.

-- Every network that the service has ever listed, as it last knew it. An open swap must be finished even if the operator removes its
-- network from the configuration. Nothing is offered from here.
create table known_network (
  name text primary key,
  data jsonb not null,
  at timestamptz not null default now()
);

-- The same for tokens.
create table known_token (
  network text not null,
  key text not null,
  data jsonb not null,
  at timestamptz not null default now(),
  primary key (network, key)
);

-- How far each network was scanned for deposits.
create table chain_cursor (
  network text primary key,
  -- The chain family's own scan position.
  cursor text not null,
  head_number numeric(78, 0) not null,
  head_hash text not null,
  -- The first block of a reorg whose deposits were not re-verified yet.
  recheck_from numeric(78, 0),
  at timestamptz not null default now()
);

-- Fees and treasury balances that one process has read for all processes: quotes are computed from it.
create table market_snapshot (
  network text primary key,
  fees jsonb not null,
  balances jsonb not null,
  -- Which of our contracts are deployed, in the chain family's own format.
  survey text,
  at timestamptz not null
);

-- Our unspent outputs on UTXO chains, collected from the blocks that are scanned for deposits anyway: a node without an address
-- index would have to search its whole UTXO set.
create table utxo (
  network text not null,
  -- Transaction and output index, as a replay slot names it.
  outpoint text not null,
  owner text not null,
  units numeric(78, 0) not null check (units > 0),
  -- The height of the block that created it.
  created_height bigint not null,
  is_coinbase boolean not null,
  -- The height of the block that spent it. The row is kept while a reorg may undo that.
  spent_height bigint check (spent_height >= created_height),
  primary key (network, outpoint)
);
-- To choose inputs, and to sum up a wallet.
create index utxo_unspent on utxo (network, owner) where spent_height is null;
-- To undo blocks after a reorg, and to delete what no reorg reaches.
create index utxo_created on utxo (network, created_height);
create index utxo_spent on utxo (network, spent_height) where spent_height is not null;

-- How far the UTXO set of a network is known. Nothing is spent or reconciled from a set that is incomplete.
create table utxo_set (
  network text primary key,
  -- Counts up when the set is built from scratch: a writer of an older edition is refused.
  edition bigint not null,
  -- The last block applied; null while nothing was applied.
  block_number bigint,
  block_hash text,
  since bigint not null,
  check ((block_number is null) = (block_hash is null))
);

-- The wallet of each network, as this database has known it. A start with another recovery phrase is refused: the ledger would be
-- about other wallets.
create table treasury (
  network text primary key,
  address text not null,
  at timestamptz not null default now()
);

-- Public keys of the wallets and of deposit addresses that are still to be handed out, written by the processes that hold the private
-- keys. An API process derives addresses from these and holds no private key.
create table public_key (
  curve text not null check (curve in ('secp256k1', 'ed25519', 'stark')),
  path text not null,
  key bytea not null,
  at timestamptz not null default now(),
  primary key (curve, path)
);

-- One holder at a time for work that must not run twice. The fencing token tells a holder that was paused from its successor.
create table lease (
  name text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at timestamptz not null
);
