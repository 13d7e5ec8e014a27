-- After a restore a payout for older money waits for a word about itself. What is said of a transaction releases none.

-- Said to be restored, and not read since: whatever came there may have been paid before.
alter table restoration add column unread boolean not null default false;

-- The fee of a transfer pays nobody: there is nothing in it to be recognised.
update restored_movement set explained_units = units where reviewed_by = 'the fee of a transfer on this list';

-- What may have made payouts that nobody has recognised yet, whether it is off the list or not.
create index restored_movement_unexplained on restored_movement (network) where explained_units < units;
