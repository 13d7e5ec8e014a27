-- Whether anything on an address waits to be swept is asked of one address after the other, in the order of this index: without an
-- order to ask in, whoever plans it reads deposits at random until one fits, and after years that is all of them.
drop index deposit_unswept;
create index deposit_unswept on deposit (network, to_address, token, block_number)
  where state = 'confirmed' and swept_by is null and not emptied;

-- Balances of swaps that are over, which are taken out: what is left is about as much as is under way.
create index ledger_balance_over on ledger_balance (owner) where units = 0 and account in ('customer', 'promised');

-- The lost deposits of an address, some of them, asked for in the order of their index for the same reason.
drop index deposit_lost_at;
create index deposit_lost_at on deposit (network, to_address, token, id) where state = 'lost' and not replaced;
