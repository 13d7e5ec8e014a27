-- What the house earned and spent of late, and what was paid, read without adding up the whole history.
create index ledger_entry_result on ledger_entry (at) include (account, network, token, units)
  where account in ('fees', 'network_fees', 'rewards', 'loss');
create index ledger_entry_paid on ledger_entry (at) where account = 'promised' and reason = 'payout';
-- Deliveries that were given up, to be counted.
create index webhook_delivery_given_up on webhook_delivery (failed_at) where failed_at is not null;
-- What is on its way, to be counted: what is held may be much more.
create index payout_under_way on payout (network) where state = 'open' and held_by is null;
