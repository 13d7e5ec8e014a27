-- At which block that much was missing: only a final look at that block or a later one may find less.
alter table halt_difference add column block_number bigint;
