-- A transaction may land again after a reorg and bring something else at the same place: then it is another deposit. The
-- old row stays for the record, and one row of a place is the one that the chain shows now.
alter table deposit
  -- Everybody whose money it was, contracts too: to be screened, never to be paid.
  add column senders text[] not null default '{}',
  -- What nodes and explorers call the transaction, where that is not its hash.
  add column alias text,
  -- Another deposit stands at its place now.
  add column replaced boolean not null default false,
  -- What is no longer where it was counts for nothing.
  add check (not replaced or state in ('gone', 'lost'));
update deposit set senders = array[from_address] where from_address is not null;

-- A deposit counts once, whoever saw it first.
alter table deposit drop constraint deposit_network_tx_hash_index_key;
create unique index deposit_place on deposit (network, tx_hash, index) where not replaced;
create index deposit_alias on deposit (lower(alias)) where alias is not null;
