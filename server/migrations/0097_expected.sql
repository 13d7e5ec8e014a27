-- Deposit addresses that somebody may be paying to now: where accounts are looked at instead of blocks, these are.
create index swap_paid_to on swap (source_network, receiver)
  where uses_deposit_address and status = 'user_transfer_pending';
create index deposit_address_lately on deposit_address (network, created_at);
